//===- HostModel.cpp - the native methods of Host.java --------------------===//

#include <cstdint>
#include <cstdio>
#include <jni.h>

extern "C" {
void *model_load(const char *Path);
int64_t model_run(void *Model, const float *In, int64_t Rows, int64_t Columns,
                  float *Out, int64_t Capacity);
void model_free(void *Model);

JNIEXPORT jlong JNICALL Java_Host_load(JNIEnv *Env, jclass, jstring Path) {
  const char *Text = Env->GetStringUTFChars(Path, nullptr);
  if (!Text)
    return 0; // Java has an exception
  void *Model = model_load(Text);
  Env->ReleaseStringUTFChars(Path, Text);
  return reinterpret_cast<jlong>(Model);
}

JNIEXPORT jlong JNICALL Java_Host_run(JNIEnv *Env, jclass, jlong Model,
                                      jfloatArray In, jlong Rows, jlong Columns,
                                      jfloatArray Out) {
  if (Rows < 0 || Columns <= 0 || Rows > Env->GetArrayLength(In) / Columns) {
    fprintf(stderr, "host: error: input shorter than rows x columns\n");
    return -1;
  }
  // Java has an exception where one is null, and nothing more may be asked for.
  jfloat *From = Env->GetFloatArrayElements(In, nullptr);
  jfloat *To = From ? Env->GetFloatArrayElements(Out, nullptr) : nullptr;
  jlong Count = -1;
  if (To)
    Count = model_run(reinterpret_cast<void *>(Model), From, Rows, Columns, To,
                      Env->GetArrayLength(Out));
  if (From)
    Env->ReleaseFloatArrayElements(In, From, JNI_ABORT);
  if (To)
    Env->ReleaseFloatArrayElements(Out, To, 0);
  return Count;
}

JNIEXPORT void JNICALL Java_Host_free(JNIEnv *, jclass, jlong Model) {
  model_free(reinterpret_cast<void *>(Model));
}
}
