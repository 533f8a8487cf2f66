# Builds, tests and ships the tools and the runtime for Debian 12's LibTorch:
#
#   docker build -t torchprof .
#   docker run --rm -v "$PWD:/models" torchprof record model.pt --input 'float[1,3,224,224]'
#
# scripts/clean-root --docker runs the same commands without Docker, to keep
# them true.

FROM debian:12 AS build
COPY . /src
WORKDIR /src
ENV TORCHPROF_TORCH=system
RUN scripts/setup
RUN scripts/test
RUN scripts/package

FROM debian:12-slim
COPY --from=build /src/build/system/packages /tmp/packages
RUN apt-get update \
 && apt-get install -y --no-install-recommends /tmp/packages/*.deb \
 && rm -rf /tmp/packages /var/lib/apt/lists/*
WORKDIR /models
ENTRYPOINT ["torchprof"]
