# Finds the C library: find_package(Fagus REQUIRED), then target_link_libraries(app Fagus::Fagus).
# list(APPEND CMAKE_MODULE_PATH <prefix>/share/fagus/cmake) comes before it.
find_path(Fagus_INCLUDE_DIR fagus.h HINTS ${CMAKE_CURRENT_LIST_DIR}/../../../include)
find_library(Fagus_LIBRARY fagus HINTS ${CMAKE_CURRENT_LIST_DIR}/../../../lib)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Fagus REQUIRED_VARS Fagus_LIBRARY Fagus_INCLUDE_DIR)

if(Fagus_FOUND AND NOT TARGET Fagus::Fagus)
  add_library(Fagus::Fagus UNKNOWN IMPORTED)
  set_target_properties(Fagus::Fagus PROPERTIES
    IMPORTED_LOCATION "${Fagus_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Fagus_INCLUDE_DIR}")
endif()
mark_as_advanced(Fagus_INCLUDE_DIR Fagus_LIBRARY)
