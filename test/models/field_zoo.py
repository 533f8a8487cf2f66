"""What people script and deploy, as small as it still is what it is: one model for
each kind of architecture that torchvision does not have."""

import math
from typing import List, Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F

from zoo import Call, Model


class UNet(nn.Module):
    """Segmentation with skip connections."""

    def __init__(self):
        super().__init__()
        self.down1 = self.block(1, 4)
        self.down2 = self.block(4, 8)
        self.middle = self.block(8, 8)
        self.up2 = nn.ConvTranspose2d(8, 8, 2, stride=2)
        self.merge2 = self.block(16, 4)
        self.up1 = nn.ConvTranspose2d(4, 4, 2, stride=2)
        self.merge1 = self.block(8, 4)
        self.head = nn.Conv2d(4, 2, 1)

    def block(self, inside: int, outside: int):
        return nn.Sequential(nn.Conv2d(inside, outside, 3, padding=1),
                             nn.BatchNorm2d(outside), nn.ReLU(inplace=True))

    def forward(self, x):
        first = self.down1(x)
        second = self.down2(F.max_pool2d(first, 2))
        x = self.middle(F.max_pool2d(second, 2))
        x = self.merge2(torch.cat([self.up2(x), second], 1))
        x = self.merge1(torch.cat([self.up1(x), first], 1))
        return self.head(x)


class VariationalAutoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(16, 8)
        self.mean = nn.Linear(8, 3)
        self.log_variance = nn.Linear(8, 3)
        self.decoder = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 16))

    def forward(self, x) -> Tuple[torch.Tensor, torch.Tensor]:
        hidden = torch.relu(self.encoder(x))
        mean, log_variance = self.mean(hidden), self.log_variance(hidden)
        z = mean + torch.randn_like(mean) * torch.exp(0.5 * log_variance)
        divergence = -0.5 * (1 + log_variance - mean ** 2 - log_variance.exp()).sum()
        return torch.sigmoid(self.decoder(z)), divergence


class Translator(nn.Module):
    """A sequence is read whole, and another is written word by word until its end."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(20, 8)
        self.encoder = nn.GRU(8, 8, batch_first=True)
        self.decoder = nn.GRUCell(8, 8)
        self.words = nn.Linear(8, 20)

    def forward(self, tokens, most: int) -> List[int]:
        _, hidden = self.encoder(self.embedding(tokens))
        state = hidden[0]
        token = tokens[:, 0]
        written: List[int] = []
        while len(written) < most:
            state = self.decoder(self.embedding(token), state)
            token = torch.argmax(self.words(state), 1)
            word = int(token[0])
            if word == 0:
                break
            written.append(word)
        return written


class CachedAttention(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x, cache: Optional[Tuple[torch.Tensor, torch.Tensor]]) -> \
            Tuple[torch.Tensor, Tuple[torch.Tensor, torch.Tensor]]:
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, -1) \
            .permute(2, 0, 3, 1, 4).unbind(0)
        if cache is not None:
            k = torch.cat([cache[0], k], 2)
            v = torch.cat([cache[1], v], 2)
        scores = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(q.shape[3])
        mixed = torch.matmul(torch.softmax(scores, 3), v)
        return self.out(mixed.transpose(1, 2).reshape(batch, length, width)), (k, v)


class LanguageModel(nn.Module):
    """A transformer that writes with a cache of keys and values."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(30, 16)
        self.attention = nn.ModuleList([CachedAttention(16, 2) for _ in range(2)])
        self.norms = nn.ModuleList([nn.LayerNorm(16) for _ in range(2)])
        self.inner = nn.ModuleList([
            nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 16))
            for _ in range(2)])
        self.words = nn.Linear(16, 30, bias=False)

    def forward(self, prompt, count: int):
        caches: List[Optional[Tuple[torch.Tensor, torch.Tensor]]] = [None, None]
        tokens = prompt
        written: List[torch.Tensor] = []
        for _ in range(count):
            x = self.embedding(tokens)
            layer = 0
            for attention, norm, inner in zip(self.attention, self.norms, self.inner):
                mixed, cache = attention(norm(x), caches[layer])
                caches[layer] = cache
                x = x + mixed
                x = x + inner(x)
                layer += 1
            tokens = torch.argmax(self.words(x[:, -1:]), 2)
            written.append(tokens)
        return torch.cat(written, 1)


class SpeechRecognizer(nn.Module):
    """Convolutions over the spectrogram, a recurrent network over time, CTC's best
    path."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, (5, 3), stride=(2, 1), padding=(2, 1))
        self.norm = nn.LayerNorm(32)
        self.recurrent = nn.GRU(32, 8, bidirectional=True, batch_first=True)
        self.letters = nn.Linear(16, 6)

    def forward(self, spectrogram) -> Tuple[torch.Tensor, List[List[int]]]:
        x = F.hardtanh(self.conv(spectrogram.unsqueeze(1)), 0.0, 20.0)
        x = self.norm(x.flatten(1, 2).transpose(1, 2))
        x, _ = self.recurrent(x)
        likely = torch.log_softmax(self.letters(x), 2)
        texts: List[List[int]] = []
        for best in torch.argmax(likely, 2):
            last = 0
            text: List[int] = []
            for step in range(best.shape[0]):
                letter = int(best[step])
                if letter != 0 and letter != last:
                    text.append(letter)
                last = letter
            texts.append(text)
        return likely, texts


class WaveNet(nn.Module):
    """Causal, dilated convolutions with gates."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(1, 4, 1)
        self.gates = nn.ModuleList([
            nn.Conv1d(4, 8, 2, dilation=2 ** i) for i in range(3)])
        self.skips = nn.ModuleList([nn.Conv1d(4, 4, 1) for _ in range(3)])
        self.last = nn.Conv1d(4, 16, 1)

    def forward(self, x):
        x = self.first(x)
        total = torch.zeros_like(x)
        dilation = 1
        for gates, skip in zip(self.gates, self.skips):
            filtered, gate = gates(F.pad(x, (dilation, 0))).chunk(2, 1)
            y = torch.tanh(filtered) * torch.sigmoid(gate)
            total = total + skip(y)
            x = x + y
            dilation *= 2
        return self.last(F.relu(total))


class Recommender(nn.Module):
    """Sparse features are embedded, dense ones go through layers, and each is
    multiplied by each."""

    def __init__(self):
        super().__init__()
        self.tables = nn.ModuleList([
            nn.EmbeddingBag(40, 4, mode="sum") for _ in range(3)])
        self.bottom = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 4))
        self.top = nn.Sequential(nn.Linear(10, 8), nn.ReLU(), nn.Linear(8, 1))
        self.register_buffer("pairs", torch.tril_indices(4, 4, -1))

    def forward(self, dense, sparse):
        features = [self.bottom(dense)]
        column = 0
        for table in self.tables:
            features.append(table(sparse[:, column]))
            column += 1
        stacked = torch.stack(features, 1)
        products = torch.bmm(stacked, stacked.transpose(1, 2))
        chosen = products[:, self.pairs[0], self.pairs[1]]
        return torch.sigmoid(self.top(torch.cat([features[0], chosen], 1)))


class GraphNetwork(nn.Module):
    """Messages along edges, summed up at the nodes that they reach."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Linear(3, 8)
        self.messages = nn.ModuleList([nn.Linear(16, 8) for _ in range(2)])
        self.updates = nn.ModuleList([nn.GRUCell(8, 8) for _ in range(2)])
        self.out = nn.Linear(8, 1)

    def forward(self, nodes, edges):
        h = self.embedding(nodes)
        source, target = edges[0], edges[1]
        for message, update in zip(self.messages, self.updates):
            sent = F.relu(message(torch.cat([h[source], h[target]], 1)))
            h = update(torch.zeros_like(h).index_add(0, target, sent), h)
        return self.out(h).sum()


class Generator(nn.Module):
    """Of a generative adversarial network: an image from noise."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.ConvTranspose2d(6, 8, 4), nn.BatchNorm2d(8), nn.ReLU(True),
            nn.ConvTranspose2d(8, 4, 4, 2, 1), nn.BatchNorm2d(4), nn.ReLU(True),
            nn.ConvTranspose2d(4, 3, 4, 2, 1), nn.Tanh())

    def forward(self, noise):
        return self.layers(noise[:, :, None, None])


class SuperResolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Conv2d(1, 8, 5, padding=2)
        self.mapping = nn.Conv2d(8, 4, 3, padding=1)
        self.shuffle = nn.PixelShuffle(2)

    def forward(self, x):
        larger = F.interpolate(x, scale_factor=2.0, mode="bilinear",
                               align_corners=False)
        return larger + self.shuffle(self.mapping(F.relu(self.features(x))))


class RadianceField(nn.Module):
    """Colours along rays, put together by how dense what they meet is."""

    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(24, 16), nn.ReLU(), nn.Linear(16, 16),
                                   nn.ReLU())
        self.density = nn.Linear(16, 1)
        self.colour = nn.Linear(16, 3)

    def forward(self, points):
        waves: List[torch.Tensor] = []
        for power in range(4):
            waves.append(torch.sin(2.0 ** power * points))
            waves.append(torch.cos(2.0 ** power * points))
        hidden = self.trunk(torch.cat(waves, 2))
        opacity = 1 - torch.exp(-F.softplus(self.density(hidden)))
        clear = torch.cumprod(1 - opacity + 1e-10, 1)
        return (opacity * clear * torch.sigmoid(self.colour(hidden))).sum(1)


class MixerLayer(nn.Module):
    """With SiLU: second derivatives of a scripted GELU are other numbers in each
    process with LibTorch 1.13."""

    def __init__(self):
        super().__init__()
        self.before_tokens = nn.LayerNorm(8)
        self.tokens = nn.Sequential(nn.Linear(16, 8), nn.SiLU(), nn.Linear(8, 16))
        self.before_channels = nn.LayerNorm(8)
        self.channels = nn.Sequential(nn.Linear(8, 16), nn.SiLU(), nn.Linear(16, 8))

    def forward(self, x):
        x = x + self.tokens(self.before_tokens(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channels(self.before_channels(x))


class MlpMixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 8, 4, stride=4)
        self.layers = nn.Sequential(MixerLayer(), MixerLayer())
        self.norm = nn.LayerNorm(8)
        self.head = nn.Linear(8, 5)

    def forward(self, x):
        x = self.layers(self.patches(x).flatten(2).transpose(1, 2))
        return self.head(self.norm(x).mean(1))


class PointNet(nn.Module):
    """A set of points, in whatever order."""

    def __init__(self):
        super().__init__()
        self.points = nn.Sequential(nn.Conv1d(3, 8, 1), nn.BatchNorm1d(8), nn.ReLU(),
                                    nn.Conv1d(8, 16, 1))
        self.whole = nn.Linear(16, 4)

    def forward(self, points):
        return self.whole(self.points(points).max(2)[0])


class Forecaster(nn.Module):
    """A time series is taken apart into trend and rest; each has a layer."""

    def __init__(self):
        super().__init__()
        self.average = nn.AvgPool1d(5, stride=1)
        self.trend = nn.Linear(24, 6)
        self.season = nn.Linear(24, 6)

    def forward(self, x):
        trend = self.average(F.pad(x, (2, 2), mode="replicate"))
        return self.trend(trend) + self.season(x - trend)


class GatedCell(nn.Module):
    """An LSTM's step, in the products that people write it with."""

    def __init__(self):
        super().__init__()
        self.of_input = nn.Parameter(torch.rand(4, 24) - 0.5)
        self.of_state = nn.Parameter(torch.rand(6, 24) - 0.5)
        self.bias = nn.Parameter(torch.zeros(24))

    def forward(self, x, hidden, cell) -> Tuple[torch.Tensor, torch.Tensor]:
        gates = torch.mm(x, self.of_input) + torch.mm(hidden, self.of_state) + self.bias
        enters, stays, new, leaves = gates.chunk(4, 1)
        cell = torch.sigmoid(stays) * cell + torch.sigmoid(enters) * torch.tanh(new)
        return torch.sigmoid(leaves) * torch.tanh(cell), cell


class Tagger(nn.Module):
    """A recurrent network over as many steps as there are, with a cell of its own."""

    def __init__(self):
        super().__init__()
        self.cell = GatedCell()
        self.head = nn.Linear(6, 3)

    def forward(self, x):
        hidden = torch.zeros(x.size(1), 6)
        cell = torch.zeros(x.size(1), 6)
        tags: List[torch.Tensor] = []
        for step in range(x.size(0)):
            hidden, cell = self.cell(x[step], hidden, cell)
            tags.append(self.head(hidden))
        return torch.stack(tags)


class Projection(nn.Module):
    """A layer with its weight the other way round, as GPT-2 has them."""

    def __init__(self, inside: int, outside: int):
        super().__init__()
        self.outside = outside
        self.weight = nn.Parameter(torch.rand(inside, outside) - 0.5)
        self.bias = nn.Parameter(torch.zeros(outside))

    def forward(self, x):
        flat = torch.addmm(self.bias, x.view(-1, x.size(-1)), self.weight)
        return flat.view(x.size(0), x.size(1), self.outside)


class Decoder(nn.Module):
    """A block of a GPT-2."""

    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(8)
        self.attention = Projection(8, 24)
        self.joined = Projection(8, 8)
        self.norm2 = nn.LayerNorm(8)
        self.wide = Projection(8, 32)
        self.narrow = Projection(32, 8)

    def forward(self, x):
        query, key, value = self.attention(self.norm1(x)).split(8, 2)
        length = x.size(1)
        later = torch.ones(length, length).triu(1) > 0
        scores = torch.bmm(query, key.transpose(1, 2)) / math.sqrt(8.0)
        weights = torch.softmax(scores.masked_fill(later, -1e9), 2)
        x = x + self.joined(torch.bmm(weights, value))
        return x + self.narrow(F.gelu(self.wide(self.norm2(x))))


def script(factory):
    return lambda: torch.jit.script(factory().eval())


def calls(*inputs):
    return (Call(inputs),)


MODELS = (
    Model("unet", script(UNet), calls("float[1,1,16,16]")),
    Model("variational_autoencoder", script(VariationalAutoencoder),
          calls("float[4,16]"), ("random",)),
    Model("translator", script(Translator), calls("int64[1,6]{1:20}", "8")),
    Model("language_model", script(LanguageModel),
          (Call(("int64[1,5]{0:30}", "4")), Call(("int64[2,3]{0:30}", "2")))),
    Model("speech_recognizer", script(SpeechRecognizer), calls("float[2,16,10]")),
    Model("wavenet", script(WaveNet), calls("float[1,1,20]")),
    Model("recommender", script(Recommender),
          calls("float[4,5]", "int64[4,3,2]{0:40}")),
    Model("graph_network", script(GraphNetwork),
          calls("float[6,3]", "int64[2,14]{0:6}"), ("reordered",)),
    Model("generator", script(Generator), calls("float[2,6]")),
    Model("super_resolution", script(SuperResolution), calls("float[1,1,8,8]")),
    Model("radiance_field", script(RadianceField), calls("float[3,5,3]")),
    Model("mlp_mixer", script(MlpMixer), calls("float[1,3,16,16]")),
    Model("point_net", script(PointNet), calls("float[2,3,12]")),
    Model("forecaster", script(Forecaster), calls("float[2,1,24]")),
    Model("tagger", script(Tagger), (Call(("float[11,2,4]",)), Call(("float[3,5,4]",))),
          ("products",)),
    Model("decoder", script(Decoder), calls("float[2,7,8]")),
)
