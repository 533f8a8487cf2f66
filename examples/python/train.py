"""Trains a scripted classifier on made-up data."""

import torch
import torch.nn as nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Linear(64, 2048), nn.ReLU(), nn.Linear(2048, 64), nn.ReLU())
        self.head = nn.Linear(64, 10)

    def forward(self, x):
        return self.head(self.encoder(x))


torch.manual_seed(0)
model = torch.jit.script(Classifier())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(50):
    x, labels = torch.rand(128, 64), torch.randint(0, 10, (128,))
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), labels)
    loss.backward()
    optimizer.step()
print("trained for 50 steps")
