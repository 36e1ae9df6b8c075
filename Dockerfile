# golem in a container.
#
#   docker build -t golem .
#   docker run --name golem -p 3000:3000 -v golem-data:/data -v ./golem.yaml:/data/golem.yaml:ro --env-file .env golem
#
# /data holds everything that must survive: golem.yaml, the database (.golem/) and group memory (memory/), because paths
# in a config are relative to its folder. For the port to be reachable from outside the container, golem.yaml says
# `gateway: { host: 0.0.0.0, token: ${GOLEM_TOKEN} }`: the daemon refuses an open address without a token.

FROM node:24-slim AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends build-essential python3 \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
# The packages first: they change less often than the sources, and compiling better-sqlite3 takes a minute.
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build \
 && npm prune --omit=dev \
 && rm -rf node_modules/better-sqlite3/deps node_modules/better-sqlite3/build/Release/obj* .cache

FROM node:24-slim
# tini takes on the orphans of agents that start programs of their own; Node as process 1 would leave them as zombies.
RUN apt-get update \
 && apt-get install -y --no-install-recommends tini ca-certificates \
 && rm -rf /var/lib/apt/lists/* \
 && install -d -o node -g node /data
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json /app/LICENSE /app/golem.demo.yaml /app/golem.yaml.example ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/skills ./skills
RUN ln -s /app/dist/golem/src/cli/main.js /usr/local/bin/golem && chmod +x dist/golem/src/cli/main.js

USER node
WORKDIR /data
VOLUME /data
EXPOSE 3000
# A failing platform is no reason to restart the others: /health answers 503 only when the daemon itself cannot work.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:3000/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Long enough for running turns to be settled before the container is killed: docker stop -t 30 golem
STOPSIGNAL SIGTERM
ENTRYPOINT ["tini", "--", "node", "/app/dist/golem/src/cli/main.js"]
CMD ["start", "--config", "/data/golem.yaml", "--port", "3000"]
