"""torchvision's models with random weights and inputs small enough for CI."""

import torch
import torchvision.models as tv
from torchvision.models import quantization, segmentation, video

from zoo import Call, Model


def scripted(factory, **options):
    def make():
        return torch.jit.script(factory(weights=None, **options).eval())

    return make


def traced(factory, shape, **options):
    def make():
        model = factory(weights=None, **options).eval()
        return torch.jit.trace(model, torch.rand(shape))

    return make


def frozen(factory, **options):
    def make():
        model = torch.jit.script(factory(weights=None, **options).eval())
        return torch.jit.freeze(model)

    return make


def training(factory, **options):
    def make():
        return torch.jit.script(factory(weights=None, **options).train())

    return make


def quantized(factory):
    """qnnpack is the one engine that Debian's and PyPI's builds share."""

    def make():
        torch.backends.quantized.engine = "qnnpack"
        model = factory(weights=None, quantize=False).eval()
        quantization.utils.quantize_model(model, "qnnpack")
        return torch.jit.script(model)

    return make


def segmenter(factory, **options):
    return scripted(factory, weights_backbone=None, num_classes=5, **options)


def vision_transformer():
    """torchvision's smallest preset takes 350 MB, and its 12 layers are alike:
    LibTorch's parser takes time in the square of their number."""
    return torch.jit.script(tv.VisionTransformer(
        image_size=64, patch_size=16, num_layers=4, num_heads=3,
        hidden_dim=192, mlp_dim=768).eval())


def multi_axis_transformer():
    """torchvision's preset splits images of 224 x 224 into windows of 7 x 7."""
    return torch.jit.script(tv.MaxVit(
        input_size=(64, 64), partition_size=2, stem_channels=64,
        block_channels=[64, 128, 256, 512], block_layers=[2, 2, 5, 2],
        head_dim=32, stochastic_depth_prob=0.2).eval())


def image(size, batch=1):
    return (Call(("float[%d,3,%d,%d]" % (batch, size, size),)),)


CLIP = (Call(("float[1,3,4,32,32]",)),)

MODELS = (
    Model("resnet18", scripted(tv.resnet18), image(64)),
    Model("resnet18_traced", traced(tv.resnet18, (1, 3, 64, 64)), image(64),
          ("traced",)),
    Model("resnet18_frozen", frozen(tv.resnet18), image(64), ("frozen",)),
    Model("resnet18_training", training(tv.resnet18), image(64, batch=2),
          ("training",)),
    Model("resnext50_32x4d", scripted(tv.resnext50_32x4d), image(64)),
    Model("squeezenet1_1", scripted(tv.squeezenet1_1), image(64)),
    Model("densenet121", scripted(tv.densenet121), image(64)),
    Model("mobilenet_v2", scripted(tv.mobilenet_v2), image(64)),
    Model("mobilenet_v3_small", scripted(tv.mobilenet_v3_small), image(64)),
    Model("mnasnet0_5", scripted(tv.mnasnet0_5), image(64)),
    Model("shufflenet_v2_x0_5", scripted(tv.shufflenet_v2_x0_5), image(64)),
    Model("googlenet", scripted(tv.googlenet, init_weights=False), image(64)),
    Model("inception_v3", scripted(tv.inception_v3, init_weights=False),
          image(96)),
    Model("regnet_y_400mf", scripted(tv.regnet_y_400mf), image(64)),
    Model("efficientnet_b0", scripted(tv.efficientnet_b0), image(64)),
    Model("convnext_tiny", scripted(tv.convnext_tiny), image(64)),
    Model("vit_small", vision_transformer, image(64)),
    Model("swin_t", scripted(tv.swin_t), image(64)),
    Model("maxvit_t", multi_axis_transformer, image(64)),
    Model("fcn_resnet50", segmenter(segmentation.fcn_resnet50), image(64)),
    Model("deeplabv3_mobilenet_v3_large",
          segmenter(segmentation.deeplabv3_mobilenet_v3_large), image(64)),
    Model("lraspp_mobilenet_v3_large",
          segmenter(segmentation.lraspp_mobilenet_v3_large), image(64)),
    Model("quantized_resnet18", quantized(quantization.resnet18), image(64),
          ("quantized",)),
    Model("quantized_mobilenet_v2", quantized(quantization.mobilenet_v2),
          image(64), ("quantized",)),
    Model("quantized_shufflenet_v2_x0_5",
          quantized(quantization.shufflenet_v2_x0_5), image(64),
          ("quantized",)),
    Model("r3d_18", scripted(video.r3d_18), CLIP),
    Model("mc3_18", scripted(video.mc3_18), CLIP),
    Model("r2plus1d_18", scripted(video.r2plus1d_18), CLIP),
    # Detection takes a list of images and returns (losses, detections).
    Model("ssdlite320_mobilenet_v3_large",
          scripted(tv.detection.ssdlite320_mobilenet_v3_large,
                   weights_backbone=None),
          (Call(("[float[3,64,64]]",)),), ("custom-op",)),
)
