# For x86-64: the browser in @sparticuz/chromium is built for nothing else.

FROM oven/bun:1.4.5-slim AS base
# What the browser isn't linked with, fonts that are as wide as those pages are designed for, and an
# init: orphans of a killed browser are handed to PID 1, which must reap them.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends \
    fontconfig-config fonts-liberation libexpat1 libnss3 tini \
  && rm -rf /var/lib/apt/lists/*
# The browser is looked for in $XDG_CACHE_HOME/curbcut.
ENV NODE_ENV=production XDG_CACHE_HOME=/var/cache
WORKDIR /app

FROM base AS build
COPY package.json bun.lock ./
RUN bun install --frozen-lockfile --production
# Unpacks the browser and asks it for its version. It is root's, so that nothing the service runs can
# change it, and the archives it came in are in no layer of the image.
COPY src src
RUN bun -e 'import { findChromium } from "./src/browser/find-chromium.ts"; console.log(await findChromium({ environment: process.env }))' \
  && rm node_modules/@sparticuz/chromium/bin/*.br

FROM base
COPY --from=build /var/cache/curbcut /var/cache/curbcut
COPY --from=build /app/node_modules node_modules
RUN install --directory --owner=bun --group=bun --mode=0700 /data
COPY package.json ./
COPY migrations migrations
COPY src src

ENV DATABASE_PATH=/data/curbcut.sqlite
USER bun
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
# NO_PROXY: Docker hands the HTTP_PROXY of its user to containers, and Bun would ask that for 127.0.0.1.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["bun", "-e", "process.env.NO_PROXY = '127.0.0.1'; const { ok } = await fetch(`http://127.0.0.1:${process.env.PORT || 3000}/livez`); process.exit(ok ? 0 : 1)"]
ENTRYPOINT ["tini", "--"]
CMD ["bun", "src/index.ts"]
