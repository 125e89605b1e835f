# Finds the C library of Fagus and defines the target Fagus::Fagus:
#
#     list(APPEND CMAKE_MODULE_PATH <prefix>/share/fagus/cmake)
#     find_package(Fagus REQUIRED)
#     target_link_libraries(app Fagus::Fagus)
#
# With set(Fagus_USE_STATIC_LIBS ON) before find_package, the static library is used.
find_path(Fagus_INCLUDE_DIR fagus.h HINTS ${CMAKE_CURRENT_LIST_DIR}/../../../include)
if(Fagus_USE_STATIC_LIBS)
  find_library(Fagus_STATIC_LIBRARY libfagus.a HINTS ${CMAKE_CURRENT_LIST_DIR}/../../../lib)
  set(Fagus_LIBRARIES ${Fagus_STATIC_LIBRARY})
else()
  find_library(Fagus_LIBRARY fagus HINTS ${CMAKE_CURRENT_LIST_DIR}/../../../lib)
  set(Fagus_LIBRARIES ${Fagus_LIBRARY})
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Fagus REQUIRED_VARS Fagus_LIBRARIES Fagus_INCLUDE_DIR)

if(Fagus_FOUND AND NOT TARGET Fagus::Fagus)
  add_library(Fagus::Fagus UNKNOWN IMPORTED)
  set_target_properties(Fagus::Fagus PROPERTIES
    IMPORTED_LOCATION "${Fagus_LIBRARIES}"
    INTERFACE_INCLUDE_DIRECTORIES "${Fagus_INCLUDE_DIR}")
  if(Fagus_USE_STATIC_LIBS)
    set(THREADS_PREFER_PTHREAD_FLAG ON)
    find_package(Threads REQUIRED)
    set_target_properties(Fagus::Fagus PROPERTIES INTERFACE_LINK_LIBRARIES "Threads::Threads;resolv")
  endif()
endif()
mark_as_advanced(Fagus_INCLUDE_DIR Fagus_LIBRARY Fagus_STATIC_LIBRARY)
