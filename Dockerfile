# Everything in one image: the service, PostgreSQL's programs for the private
# server, Chromium, ffmpeg, the Playwright driver and axe-core. Data is in /data.
#
#   docker run --security-opt seccomp=seccomp.json …
#
# The service is root, with the few capabilities that compose.yaml leaves it: so
# Chromium and PostgreSQL run as users of their own, who cannot read what the
# service keeps. seccomp.json lets Chromium make its sandbox.

FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
# Which program it is: --build-arg LDFLAGS="$(.ci/ldflags)".
ARG LDFLAGS=
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w $LDFLAGS" -o /understudy ./cmd/understudy

FROM node:20-bookworm-slim AS driver
WORKDIR /playwright
RUN npm pack --silent --ignore-scripts playwright-core@1.60.0 && tar -xzf ./*.tgz && rm ./*.tgz
WORKDIR /axe-core
RUN npm pack --silent --ignore-scripts axe-core@4.14.1 && tar -xzf ./*.tgz && rm ./*.tgz

FROM debian:bookworm-slim
RUN mkdir -p /etc/postgresql-common/createcluster.d \
 && echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.d/understudy.conf \
 && apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates tini postgresql chromium-headless-shell \
      fonts-liberation fonts-noto-color-emoji ffmpeg nodejs openssl util-linux \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin understudy-browser \
 && install -d -m 0700 /data
COPY --from=driver /playwright/package /usr/lib/understudy/playwright/package
COPY --from=driver /axe-core/package /usr/lib/understudy/axe-core
COPY --from=build /understudy /usr/bin/understudy
COPY LICENSE /usr/share/doc/understudy/LICENSE
WORKDIR /data
VOLUME /data
ENV UNDERSTUDY_LISTEN=0.0.0.0:8080 \
    UNDERSTUDY_DATA_DIR=/data \
    UNDERSTUDY_PLAYWRIGHT_DIR=/usr/lib/understudy/playwright \
    UNDERSTUDY_DEMO=0
EXPOSE 8080
STOPSIGNAL SIGTERM
# tini reaps what a browser or driver leaves behind when it is killed.
ENTRYPOINT ["/usr/bin/tini", "--", "/usr/bin/understudy"]
CMD ["serve"]
