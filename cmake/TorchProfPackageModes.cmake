# Run by cpack before it packs what it has installed. Directories there have the modes
# that the umask of cpack's caller leaves: with 077 root alone could use the package.
# Files have modes of their own.

cmake_policy(VERSION 3.25) # GLOB_RECURSE follows no links
file(GLOB_RECURSE _all LIST_DIRECTORIES TRUE "${CPACK_TEMPORARY_DIRECTORY}/*")
foreach(path IN LISTS _all)
  if(IS_DIRECTORY "${path}" AND NOT IS_SYMLINK "${path}")
    file(CHMOD "${path}" DIRECTORY_PERMISSIONS
      OWNER_READ OWNER_WRITE OWNER_EXECUTE
      GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  endif()
endforeach()
