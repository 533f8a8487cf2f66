! A Fortran program that runs a TorchScript model through iso_c_binding; it knows
! nothing of torchprof. With libmodel.so of examples/cpp/model:
!
!   gfortran host.f90 -L. -lmodel -Wl,-rpath,$PWD -o host
!   torchprof record -- ./host model.pt 10
program host
  use, intrinsic :: iso_c_binding
  implicit none

  interface
    function model_load(path) bind(c) result(model)
      import :: c_ptr, c_char
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr) :: model
    end function
    function model_run(model, in, rows, columns, out, capacity) bind(c) result(count)
      import :: c_ptr, c_float, c_int64_t
      type(c_ptr), value :: model
      real(c_float), intent(in) :: in(*)
      integer(c_int64_t), value :: rows, columns, capacity
      real(c_float), intent(out) :: out(*)
      integer(c_int64_t) :: count
    end function
    subroutine model_free(model) bind(c)
      import :: c_ptr
      type(c_ptr), value :: model
    end subroutine
  end interface

  type(c_ptr) :: model
  ! Two rows of four; C counts rows first.
  real(c_float) :: in(4, 2) = 1, out(8)
  character(len=4096) :: word
  integer :: run, runs
  integer(c_int64_t) :: count

  call get_command_argument(2, word)
  read (word, *) runs
  call get_command_argument(1, word)
  model = model_load(trim(word)//c_null_char)
  if (.not. c_associated(model)) stop 2
  do run = 1, runs
    count = model_run(model, in, 2_c_int64_t, 4_c_int64_t, out, 8_c_int64_t)
    if (count < 0) stop 2
  end do
  call model_free(model)
  print '(a, f0.6)', 'fortran: out(1) = ', out(1)
end program
