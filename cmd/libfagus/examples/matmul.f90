! matmul.c in Fortran, with columns instead of rows: one sync variable for each column of B and C.
!
!     fagus launch -n 4 -- ./matmul_f90 512
program matmul_fagus
    use, intrinsic :: iso_c_binding
    use fagus
    implicit none

    integer :: n, i, j, l, rank, ranks
    real(c_double), pointer :: a(:, :), b(:, :), c(:, :)
    integer(c_int32_t) :: whole_a, of_b, of_c, input, product
    logical, allocatable :: mine(:)
    real(c_double) :: total
    character(16) :: argument

    n = 512
    if (command_argument_count() > 0) then
        call get_command_argument(1, argument)
        read (argument, *) n
    end if
    call check(fagus_init())
    rank = fagus_rank()
    ranks = fagus_size()
    a => matrix('A')
    b => matrix('B')
    c => matrix('C')
    call check(fagus_new_set(input))
    call check(fagus_new_set(product))
    call check(fagus_bind('A', [fagus_range(c_loc(a), 8_c_size_t * n * n)], whole_a))
    if (rank == 0) call check(fagus_set_sync(input, whole_a, fagus_exclusive))
    call check(fagus_set_sync(product, whole_a, fagus_shared))
    allocate (mine(n))
    do j = 1, n
        of_b = column('B', b, j)
        of_c = column('C', c, j)
        if (rank == 0) then ! acquires C too, so that the update sends it here
            call check(fagus_set_sync(input, of_b, fagus_exclusive))
            call check(fagus_set_sync(input, of_c, fagus_telling))
        end if
        mine(j) = mod(j, ranks) == rank
        if (mine(j)) then
            call check(fagus_set_sync(product, of_b, fagus_shared))
            call check(fagus_set_sync(product, of_c, fagus_exclusive))
        end if
    end do

    call check(fagus_acquire(input))
    if (rank == 0) then
        call fill(a, 1_c_int64_t)
        call fill(b, 2_c_int64_t)
    end if
    call check(fagus_release(input))
    call check(fagus_fence()) ! the tenures below come after the tenures above, on all ranks

    call check(fagus_acquire(product))
    do j = 1, n
        if (.not. mine(j)) cycle
        do l = 1, n
            do i = 1, n
                c(i, j) = c(i, j) + a(i, l) * b(l, j)
            end do
        end do
    end do
    call check(fagus_release(product))
    call check(fagus_sync_updatecache())

    if (rank == 0) then
        total = sum(c)
        print '(i0, " x ", i0, " on ", i0, " ranks: sum ", es24.16e3)', n, n, ranks, total
    end if
    call check(fagus_finalize())

contains

    subroutine check(code)
        integer(c_int), intent(in) :: code
        if (code == fagus_ok) return
        print '(a)', 'matmul: ' // fagus_message()
        error stop 1
    end subroutine

    function matrix(name) result(m)
        character(*), intent(in) :: name
        real(c_double), pointer :: m(:, :)
        type(c_ptr) :: at
        call check(fagus_alloc(name, 8_c_size_t * n * n, at))
        call c_f_pointer(at, m, [n, n])
    end function

    integer(c_int32_t) function column(name, m, j)
        character(*), intent(in) :: name
        real(c_double), pointer, intent(in) :: m(:, :)
        integer, intent(in) :: j
        character(32) :: full
        write (full, '(a, ".", i0)') name, j
        call check(fagus_bind(full, [fagus_range(c_loc(m(1, j)), 8_c_size_t * n)], column))
    end function

    ! Fills m with numbers between -1 and 1, the same on every machine.
    subroutine fill(m, seed)
        real(c_double), intent(out) :: m(:, :)
        integer(c_int64_t), intent(in) :: seed
        integer(c_int64_t) :: state
        integer :: i, j
        state = seed
        do j = 1, n
            do i = 1, n
                state = mod(state * 16807_c_int64_t, 2147483647_c_int64_t)
                m(i, j) = real(state, c_double) / 1073741824 - 1
            end do
        end do
    end subroutine
end program
