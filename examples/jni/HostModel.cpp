//===- HostModel.cpp - the native methods of Host.java --------------------===//

#include <cstdint>
#include <jni.h>

extern "C" {
void *model_load(const char *Path);
int64_t model_run(void *Model, const float *In, int64_t Rows, int64_t Columns,
                  float *Out, int64_t Capacity);

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
  jfloat *From = Env->GetFloatArrayElements(In, nullptr);
  jfloat *To = Env->GetFloatArrayElements(Out, nullptr);
  jlong Count = -1;
  if (From && To)
    Count = model_run(reinterpret_cast<void *>(Model), From, Rows, Columns, To,
                      Env->GetArrayLength(Out));
  if (From)
    Env->ReleaseFloatArrayElements(In, From, JNI_ABORT);
  if (To)
    Env->ReleaseFloatArrayElements(Out, To, 0);
  return Count;
}
}
