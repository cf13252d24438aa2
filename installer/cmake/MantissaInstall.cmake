# SPDX-License-Identifier: GPL-3.0-or-later
# What `cmake --install` puts into the relocatable folder, and the packages made of it.
#
#   bin/{mantissa,mantissa-cli,mantissa-worker}   lib/mantissa/libmantissa_cuda.so
#   lib/mantissa/torch/lib, lib/mantissa/nvidia   LibTorch, if MANTISSA_INSTALL_LIBTORCH asks for it
#   share/...                                     experiments, manual, desktop entry, icons, man pages

set(MANTISSA_INSTALL_LIBTORCH cpu CACHE STRING
    "Copy LibTorch beside the worker: cpu (0.5 GB), cuda (with all CUDA libraries, 4 GB) or none (MANTISSA_TORCH at run time)")
set_property(CACHE MANTISSA_INSTALL_LIBTORCH PROPERTY STRINGS cpu cuda none)
set(private_dir lib/mantissa) # not the multi-arch folder: the programs look in ../lib/mantissa

foreach(program mantissa mantissa-cli mantissa-worker)
    if(TARGET ${program})
        install(TARGETS ${program} RUNTIME DESTINATION bin)
        configure_file("${CMAKE_SOURCE_DIR}/installer/man/${program}.1.in" "${CMAKE_BINARY_DIR}/man/${program}.1" @ONLY)
        install(FILES "${CMAKE_BINARY_DIR}/man/${program}.1" DESTINATION share/man/man1)
    endif()
endforeach()
if(TARGET mantissa-worker)
    set_target_properties(mantissa-worker PROPERTIES INSTALL_RPATH "$ORIGIN/../${private_dir}/torch/lib")
endif()
if(TARGET mantissa_cuda)
    set_target_properties(mantissa_cuda PROPERTIES INSTALL_RPATH "$ORIGIN/torch/lib;$ORIGIN/nvidia/cu13/lib")
    install(TARGETS mantissa_cuda LIBRARY DESTINATION "${private_dir}")
endif()

# LibTorch's own RPATH finds ../../nvidia beside its folder, so the wheels' layout is kept.
if(MANTISSA_BUILD_WORKER AND NOT MANTISSA_INSTALL_LIBTORCH STREQUAL "none")
    get_filename_component(torch_site "${MANTISSA_TORCH}" DIRECTORY)
    install(DIRECTORY "${torch_site}/torch-2.11.0.dist-info/licenses/" DESTINATION share/doc/mantissa/libtorch
        COMPONENT libtorch OPTIONAL)
    if(MANTISSA_INSTALL_LIBTORCH STREQUAL "cpu")
        install(DIRECTORY "${MANTISSA_TORCH}/lib/" DESTINATION "${private_dir}/torch/lib" COMPONENT libtorch
            FILES_MATCHING REGEX "/lib(torch_cpu|c10|gomp)[.-][^/]*$" PATTERN "libshm*" EXCLUDE)
        install(DIRECTORY "${torch_site}/nvidia/cu13/lib/" DESTINATION "${private_dir}/nvidia/cu13/lib" COMPONENT libtorch
            OPTIONAL FILES_MATCHING REGEX "/lib(cudart|cupti)\\.so[^/]*$")
    elseif(MANTISSA_INSTALL_LIBTORCH STREQUAL "cuda")
        install(DIRECTORY "${MANTISSA_TORCH}/lib/" DESTINATION "${private_dir}/torch/lib" COMPONENT libtorch
            FILES_MATCHING PATTERN "*.so*" PATTERN "libtorch_python.so" EXCLUDE PATTERN "libshm*" EXCLUDE)
        install(DIRECTORY "${torch_site}/nvidia/" DESTINATION "${private_dir}/nvidia" COMPONENT libtorch
            FILES_MATCHING PATTERN "*.so*" PATTERN "include" EXCLUDE)
    else()
        message(FATAL_ERROR "MANTISSA_INSTALL_LIBTORCH=${MANTISSA_INSTALL_LIBTORCH} is unknown; allowed: cpu, cuda, none")
    endif()
endif()

install(DIRECTORY "${CMAKE_SOURCE_DIR}/experiments/" DESTINATION share/mantissa/experiments FILES_MATCHING PATTERN "*.toml" PATTERN "*.txt")
install(DIRECTORY "${CMAKE_SOURCE_DIR}/resources/docs/" DESTINATION share/mantissa/docs OPTIONAL)
install(FILES "${CMAKE_SOURCE_DIR}/LICENSE" DESTINATION share/doc/mantissa)
if(MANTISSA_BUILD_GUI)
    configure_file("${CMAKE_SOURCE_DIR}/installer/desktop/mantissa.metainfo.xml.in" "${CMAKE_BINARY_DIR}/mantissa.metainfo.xml" @ONLY)
    install(FILES "${CMAKE_BINARY_DIR}/mantissa.metainfo.xml" DESTINATION share/metainfo)
    install(FILES "${CMAKE_SOURCE_DIR}/installer/desktop/mantissa.desktop" DESTINATION share/applications)
    set(icons "${CMAKE_SOURCE_DIR}/resources/icons")
    install(FILES "${icons}/mantissa.svg" DESTINATION share/icons/hicolor/scalable/apps)
    foreach(size 48 128 256)
        install(FILES "${icons}/mantissa-${size}.png" DESTINATION share/icons/hicolor/${size}x${size}/apps RENAME mantissa.png)
    endforeach()
endif()

set(CPACK_PACKAGE_NAME mantissa)
set(CPACK_PACKAGE_VENDOR "The Mantissa authors")
set(CPACK_PACKAGE_CONTACT "The Mantissa authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE "${CMAKE_SOURCE_DIR}/LICENSE")
set(CPACK_GENERATOR TGZ)
set(CPACK_STRIP_FILES OFF) # LibTorch's libraries come stripped; their RPATH must stay
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libqcustomplot2.1-qt6, libqt6svg6, libqt6widgets6, libqt6printsupport6, libsqlite3-0, libfmt9, libtomlplusplus3, zlib1g")
include(CPack)
