"""What quantized operators compute: a signature has the weights in packed objects."""
# RUN: rm -f %t*.tprof
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   TORCHPROF_RECORD=shapes,ops %python -W ignore %s
# RUN: torchprof-report summary %t.tprof --group-by=shape --limit=0 --sort=order --ops \
# RUN:   --columns=kind,shapes,dtypes,calls,flops --format=csv > %t.csv
# RUN: FileCheck --input-file=%t.csv %s --implicit-check-not=unpack \
# RUN:   --implicit-check-not=getstate
# UNSUPPORTED: asan, tsan
# Describing a weight is no operator of the model.
# CHECK: quantized::linear_dynamic,"[2,3] ([5,3] [5])",float32 qint8,3,180
# CHECK: quantized::linear,"[2,3] ([5,3] [5])",quint8 qint8 float32,3,180
# CHECK: quantized::conv2d,"[1,3,4,4] ([4,3,3,3] [4])",quint8 qint8 float32,3,2592
# CHECK: aten::quantized_lstm,"[7,2,3] ([2,2,5] [2,2,5]) ([20,3] [20,5] [20] [20] [20,3] [20,5] [20] [20])",float32 qint8,3,26880
# CHECK: quantized::quantized_gru_cell_dynamic,"[2,3] [2,5] ([15,3] [15]) ([15,5] [15]) [15] [15]",float32 qint8,3,1440

import torch

torch.set_num_threads(1)
torch.backends.quantized.engine = "qnnpack"


def quantized(modules):
    return torch.ao.quantization.quantize_dynamic(
        modules, {torch.nn.LSTM, torch.nn.GRUCell}, torch.qint8)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        weight = torch.quantize_per_tensor(torch.rand(5, 3), 0.1, 0, torch.qint8)
        self.linear = torch.ops.quantized.linear_prepack(weight, torch.rand(5))
        weight = torch.quantize_per_tensor(torch.rand(4, 3, 3, 3), 0.1, 0,
                                           torch.qint8)
        self.conv = torch.ops.quantized.conv2d_prepack(
            weight, torch.rand(4), [1, 1], [0, 0], [1, 1], 1)
        self.recurrent = quantized(
            torch.nn.ModuleList([torch.nn.LSTM(3, 5, bidirectional=True),
                                 torch.nn.GRUCell(3, 5)]))

    def forward(self, x, image, steps):
        quantized = torch.quantize_per_tensor(x, 0.1, 0, torch.quint8)
        picture = torch.quantize_per_tensor(image, 0.1, 0, torch.quint8)
        return (
            torch.ops.quantized.linear_dynamic(x, self.linear),
            torch.ops.quantized.linear(quantized, self.linear, 0.1, 0),
            torch.ops.quantized.conv2d(picture, self.conv, 0.1, 0),
            self.recurrent[0](steps),
            self.recurrent[1](x),
        )


model = torch.jit.script(Model())
with torch.no_grad():
    for _ in range(3):
        model(torch.rand(2, 3), torch.rand(1, 3, 4, 4), torch.rand(7, 2, 3))
