# SPDX-License-Identifier: GPL-3.0-or-later
# What `cmake --install` puts into the relocatable folder.

install(DIRECTORY "${CMAKE_SOURCE_DIR}/experiments/" DESTINATION "${CMAKE_INSTALL_DATADIR}/mantissa/experiments"
    FILES_MATCHING PATTERN "*.toml")
install(DIRECTORY "${CMAKE_SOURCE_DIR}/resources/docs/" DESTINATION "${CMAKE_INSTALL_DATADIR}/mantissa/docs")
