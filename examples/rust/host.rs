// A Rust program that runs a TorchScript model through its C interface; it knows
// nothing of torchprof. With libmodel.so of examples/cpp/model:
//
//   rustc host.rs -L . -C link-arg=-Wl,-rpath,$PWD
//   torchprof record -- ./host model.pt 10
use std::env;
use std::ffi::{c_void, CString};
use std::os::raw::c_char;
use std::process::exit;

#[link(name = "model")]
extern "C" {
    fn model_load(path: *const c_char) -> *mut c_void;
    fn model_run(
        model: *mut c_void,
        input: *const f32,
        rows: i64,
        columns: i64,
        out: *mut f32,
        capacity: i64,
    ) -> i64;
    fn model_free(model: *mut c_void);
}

fn main() {
    let args: Vec<String> = env::args().collect();
    let path = CString::new(args[1].as_str()).unwrap();
    let runs: u32 = args[2].parse().unwrap();
    let model = unsafe { model_load(path.as_ptr()) };
    if model.is_null() {
        exit(2);
    }
    let (input, mut out) = ([1.0f32; 8], [0.0f32; 8]);
    for _ in 0..runs {
        if unsafe { model_run(model, input.as_ptr(), 2, 4, out.as_mut_ptr(), 8) } < 0 {
            exit(2);
        }
    }
    unsafe { model_free(model) };
    println!("rust: out[0] = {}", out[0]);
}
