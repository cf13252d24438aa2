# SPDX-License-Identifier: GPL-3.0-or-later
# What the CUDA plug-in is built with: CUDA's run-time headers and library, and LibTorch's CUDA libraries.
# The headers and libcudart of the wheels beside LibTorch are preferred to a toolkit's: they are its own
# version. No CUDA language is enabled: nvcc, where there is one, compiles plain kernels by a command.
#
#   CudaForTorch_FOUND, target CudaForTorch::torch_cuda, CudaForTorch_NVCC (empty if there is none),
#   CudaForTorch_INCLUDE_DIR, CudaForTorch_LIBRARY_DIRS

find_package(LibTorch 2.11.0 EXACT QUIET)
get_filename_component(_site "${MANTISSA_TORCH}" DIRECTORY)
set(_places "${_site}/nvidia/cu13" "$ENV{CUDA_PATH}" "$ENV{CUDA_HOME}" /usr/local/cuda)

find_path(CudaForTorch_INCLUDE_DIR cuda_runtime_api.h PATHS ${_places} PATH_SUFFIXES include NO_DEFAULT_PATH)
find_file(CudaForTorch_CUDART libcudart.so.13 PATHS ${_places} PATH_SUFFIXES lib lib64 NO_DEFAULT_PATH)
find_library(CudaForTorch_TORCH_CUDA torch_cuda PATHS "${MANTISSA_TORCH}/lib" NO_DEFAULT_PATH)
find_library(CudaForTorch_C10_CUDA c10_cuda PATHS "${MANTISSA_TORCH}/lib" NO_DEFAULT_PATH)
find_program(CudaForTorch_NVCC nvcc HINTS ${_places} PATH_SUFFIXES bin)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CudaForTorch REQUIRED_VARS CudaForTorch_INCLUDE_DIR CudaForTorch_CUDART
    CudaForTorch_TORCH_CUDA CudaForTorch_C10_CUDA)
mark_as_advanced(CudaForTorch_INCLUDE_DIR CudaForTorch_CUDART CudaForTorch_TORCH_CUDA CudaForTorch_C10_CUDA CudaForTorch_NVCC)

if(CudaForTorch_FOUND AND NOT TARGET CudaForTorch::torch_cuda)
    get_filename_component(_cudart_dir "${CudaForTorch_CUDART}" DIRECTORY)
    set(CudaForTorch_LIBRARY_DIRS "${LibTorch_LIBRARY_DIR}" "${_cudart_dir}")
    add_library(CudaForTorch::torch_cuda INTERFACE IMPORTED GLOBAL)
    set_target_properties(CudaForTorch::torch_cuda PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${CudaForTorch_INCLUDE_DIR}"
        INTERFACE_LINK_LIBRARIES "LibTorch::cpu;${CudaForTorch_TORCH_CUDA};${CudaForTorch_C10_CUDA};${CudaForTorch_CUDART}"
        # cuDNN, cuBLAS and the others that libtorch_cuda needs are not wanted for linking.
        INTERFACE_LINK_OPTIONS "-Wl,--no-as-needed;-Wl,--allow-shlib-undefined;-Wl,--unresolved-symbols=ignore-in-shared-libs")
endif()
