# SPDX-License-Identifier: GPL-3.0-or-later
# LibTorch from an unpacked wheel or a libtorch folder, as IMPORTED targets LibTorch::c10 and
# LibTorch::cpu. PyTorch's own CMake package is not used: that of a CUDA wheel demands a CUDA toolkit
# and changes global flags.
#
#   MANTISSA_TORCH (environment or cache)  folder with include/ and lib/; default .deps/torch-site/torch

if(DEFINED ENV{MANTISSA_TORCH} AND NOT "$ENV{MANTISSA_TORCH}" STREQUAL "")
    set(_default_torch "$ENV{MANTISSA_TORCH}")
else()
    set(_default_torch "${CMAKE_SOURCE_DIR}/.deps/torch-site/torch")
endif()
set(MANTISSA_TORCH "${_default_torch}" CACHE PATH "LibTorch 2.11.0: folder with include/ and lib/")

# Ask the headers, not a file that only the Python package has.
set(LibTorch_VERSION "")
foreach(_header torch/headeronly/version.h torch/csrc/api/include/torch/version.h)
    if(LibTorch_VERSION STREQUAL "" AND EXISTS "${MANTISSA_TORCH}/include/${_header}")
        file(STRINGS "${MANTISSA_TORCH}/include/${_header}" _lines REGEX "#define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
        string(REGEX MATCHALL "[0-9]+" _numbers "${_lines}")
        list(JOIN _numbers "." LibTorch_VERSION)
    endif()
endforeach()

find_library(LibTorch_CPU_LIBRARY torch_cpu PATHS "${MANTISSA_TORCH}/lib" NO_DEFAULT_PATH NO_CACHE)
find_library(LibTorch_C10_LIBRARY c10 PATHS "${MANTISSA_TORCH}/lib" NO_DEFAULT_PATH NO_CACHE)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch
    REQUIRED_VARS LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY
    VERSION_VAR LibTorch_VERSION
    REASON_FAILURE_MESSAGE "looked in ${MANTISSA_TORCH}. Run installer/bootstrap, set MANTISSA_TORCH to a LibTorch 2.11.0 folder, or build with -DMANTISSA_BUILD_WORKER=OFF.")

set(LibTorch_LIBRARY_DIR "${MANTISSA_TORCH}/lib")
if(LibTorch_FOUND AND NOT TARGET LibTorch::cpu)
    add_library(LibTorch::c10 SHARED IMPORTED GLOBAL)
    set_target_properties(LibTorch::c10 PROPERTIES
        IMPORTED_LOCATION "${LibTorch_C10_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${MANTISSA_TORCH}/include;${MANTISSA_TORCH}/include/torch/csrc/api/include")
    add_library(LibTorch::cpu SHARED IMPORTED GLOBAL)
    set_target_properties(LibTorch::cpu PROPERTIES
        IMPORTED_LOCATION "${LibTorch_CPU_LIBRARY}"
        INTERFACE_LINK_LIBRARIES LibTorch::c10
        INTERFACE_LINK_OPTIONS "-Wl,--no-as-needed;-Wl,--allow-shlib-undefined")
endif()
