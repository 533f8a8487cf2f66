// A Java program that runs a TorchScript model through JNI, on two threads; it
// knows nothing of torchprof. With libmodel.so of examples/cpp/model:
//
//   home=$(dirname $(dirname $(readlink -f $(command -v javac))))
//   g++ -shared -fPIC -I$home/include -I$home/include/linux HostModel.cpp \
//     -L. -lmodel -Wl,-rpath,$PWD -o libhostmodel.so
//   javac Host.java
//   torchprof record -- java -cp . Host $PWD/libhostmodel.so model.pt 10
public class Host {
  static native long load(String path);
  static native long run(long model, float[] in, long rows, long columns, float[] out);
  static native void free(long model);

  static volatile boolean failed;

  public static void main(String[] args) throws InterruptedException {
    System.load(args[0]);
    long model = load(args[1]);
    int runs = Integer.parseInt(args[2]);
    if (model == 0) {
      System.exit(2);
    }
    Thread[] threads = new Thread[2];
    for (int i = 0; i < threads.length; i++) {
      threads[i] = new Thread(() -> {
        float[] in = {1, 1, 1, 1, 1, 1, 1, 1}, out = new float[8];
        for (int k = 0; k < runs; k++) {
          if (run(model, in, 2, 4, out) < 0) {
            failed = true;
            return;
          }
        }
        System.out.println("java: out[0] = " + out[0]);
      });
      threads[i].start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    free(model);
    if (failed) {
      System.exit(2);
    }
  }
}
