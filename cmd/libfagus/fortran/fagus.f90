! Fagus for Fortran 2018: fagus.h through ISO_C_BINDING. All functions return fagus_ok or an error
! code.
!
!     call check(fagus_alloc('A', 8_c_size_t * n, p)); call c_f_pointer(p, a, [n])
!
! Trailing blanks of names are ignored.
module fagus
    use, intrinsic :: iso_c_binding
    implicit none
    private

    integer(c_int), parameter, public :: fagus_ok = 0, fagus_err_not_running = 1, fagus_err_running = 2, &
        fagus_err_argument = 3, fagus_err_handle = 4, fagus_err_address = 5, fagus_err_bound = 6, &
        fagus_err_name = 7, fagus_err_twice = 8, fagus_err_held = 9, fagus_err_not_held = 10, fagus_err_busy = 11, &
        fagus_err_memory = 12, fagus_err_job = 13, fagus_err_lost = 14, fagus_err_internal = 15
    integer(c_int), parameter, public :: fagus_shared = 0, fagus_exclusive = 1, fagus_telling = 2
    integer(c_int), parameter, public :: fagus_sum = 0, fagus_min = 1, fagus_max = 2

    type, bind(c), public :: fagus_range
        type(c_ptr) :: addr
        integer(c_size_t) :: len
    end type

    public :: fagus_init, fagus_finalize, fagus_rank, fagus_size, fagus_alloc, fagus_bind, fagus_new_set, fagus_set_sync, &
        fagus_set_sync_unordered, fagus_clear_set, fagus_acquire, fagus_release, fagus_declare_write, &
        fagus_sync_updatecache, fagus_barrier, &
        fagus_fence, fagus_reduce_int64, fagus_reduce_double, fagus_spend, fagus_message

    interface
        integer(c_int) function fagus_init() bind(c)
            import
        end function
        integer(c_int) function fagus_finalize() bind(c)
            import
        end function
        integer(c_int) function fagus_rank() bind(c)
            import
        end function
        integer(c_int) function fagus_size() bind(c)
            import
        end function
        integer(c_int) function c_alloc(name, bytes, array) bind(c, name='fagus_alloc')
            import
            character(kind=c_char), intent(in) :: name(*)
            integer(c_size_t), value :: bytes
            type(c_ptr), intent(out) :: array
        end function
        integer(c_int) function c_bind(name, ranges, count, sync) bind(c, name='fagus_bind')
            import
            character(kind=c_char), intent(in) :: name(*)
            type(fagus_range), intent(in) :: ranges(*)
            integer(c_size_t), value :: count
            integer(c_int32_t), intent(out) :: sync
        end function
        integer(c_int) function fagus_new_set(sync_set) bind(c)
            import
            integer(c_int32_t), intent(out) :: sync_set
        end function
        integer(c_int) function fagus_set_sync(sync_set, sync, mode) bind(c)
            import
            integer(c_int32_t), value :: sync_set, sync
            integer(c_int), value :: mode
        end function
        integer(c_int) function fagus_set_sync_unordered(sync_set, sync, mode) bind(c)
            import
            integer(c_int32_t), value :: sync_set, sync
            integer(c_int), value :: mode
        end function
        integer(c_int) function fagus_clear_set(sync_set) bind(c)
            import
            integer(c_int32_t), value :: sync_set
        end function
        integer(c_int) function fagus_acquire(sync_set) bind(c)
            import
            integer(c_int32_t), value :: sync_set
        end function
        integer(c_int) function fagus_release(sync_set) bind(c)
            import
            integer(c_int32_t), value :: sync_set
        end function
        integer(c_int) function fagus_declare_write(addr, len) bind(c)
            import
            type(c_ptr), value :: addr
            integer(c_size_t), value :: len
        end function
        integer(c_int) function fagus_sync_updatecache() bind(c)
            import
        end function
        integer(c_int) function fagus_barrier() bind(c)
            import
        end function
        integer(c_int) function fagus_fence() bind(c)
            import
        end function
        integer(c_int) function fagus_reduce_int64(op, x, all) bind(c)
            import
            integer(c_int), value :: op
            integer(c_int64_t), value :: x
            integer(c_int64_t), intent(out) :: all
        end function
        integer(c_int) function fagus_reduce_double(op, x, all) bind(c)
            import
            integer(c_int), value :: op
            real(c_double), value :: x
            real(c_double), intent(out) :: all
        end function
        integer(c_int) function fagus_spend(ns) bind(c)
            import
            integer(c_int64_t), value :: ns
        end function
        type(c_ptr) function c_last_error() bind(c, name='fagus_last_error')
            import
        end function
        integer(c_size_t) function c_strlen(s) bind(c, name='strlen')
            import
            type(c_ptr), value :: s
        end function
    end interface

contains

    integer(c_int) function fagus_alloc(name, bytes, array)
        character(*), intent(in) :: name
        integer(c_size_t), intent(in) :: bytes
        type(c_ptr), intent(out) :: array
        fagus_alloc = c_alloc(trim(name) // c_null_char, bytes, array)
    end function

    integer(c_int) function fagus_bind(name, ranges, sync)
        character(*), intent(in) :: name
        type(fagus_range), intent(in) :: ranges(:)
        integer(c_int32_t), intent(out) :: sync
        fagus_bind = c_bind(trim(name) // c_null_char, ranges, size(ranges, kind=c_size_t), sync)
    end function

    ! Returns the text of the last error.
    function fagus_message() result(text)
        character(:), allocatable :: text
        character(kind=c_char), pointer :: from(:)
        type(c_ptr) :: at
        integer :: i
        at = c_last_error()
        call c_f_pointer(at, from, [c_strlen(at)])
        allocate (character(size(from)) :: text)
        do i = 1, size(from)
            text(i:i) = from(i)
        end do
    end function
end module
