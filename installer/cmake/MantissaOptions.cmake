# SPDX-License-Identifier: GPL-3.0-or-later
# Language level, warnings, sanitizers and the compiler cache, once for all targets.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # The sloppiness lets ccache serve files that use a precompiled header.
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        "${CCACHE_PROGRAM}")
endif()

# Linked PRIVATE by our own targets only; third-party headers are SYSTEM.
add_library(mantissa_flags INTERFACE)
target_compile_options(mantissa_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wold-style-cast
    -Woverloaded-virtual -Wconversion
    # g++ 12 reports overlapping copies inside std::string's operator+ that are not there (GCC bug 105651).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
    # In a unity batch no file is "the main file", whose private types it lets pass.
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wno-subobject-linkage>
    $<$<BOOL:${MANTISSA_WERROR}>:-Werror>)

if(MANTISSA_SANITIZE STREQUAL "address")
    add_compile_options(-fsanitize=address,undefined -fno-omit-frame-pointer)
    add_link_options(-fsanitize=address,undefined)
elseif(MANTISSA_SANITIZE STREQUAL "thread")
    if(MANTISSA_BUILD_WORKER)
        message(FATAL_ERROR "MANTISSA_SANITIZE=thread works without the worker only: "
            "LibTorch's own threads are not instrumented. Add -DMANTISSA_BUILD_WORKER=OFF.")
    endif()
    add_compile_options(-fsanitize=thread)
    add_link_options(-fsanitize=thread)
elseif(MANTISSA_SANITIZE)
    message(FATAL_ERROR "MANTISSA_SANITIZE=${MANTISSA_SANITIZE} is unknown; allowed: empty, address, thread")
endif()
