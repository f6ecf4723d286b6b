# syntax=docker/dockerfile:1
ARG NODE_IMAGE=node:24.21.0-bookworm-slim
# The worker and the watcher. Nothing in here starts the stand-in service, which is for development; its files
# come along with the build.

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig.json ./
COPY scripts ./scripts
COPY workflows ./workflows
COPY activities ./activities
COPY workers ./workers
COPY client ./client
COPY test ./test
RUN npm run --silent build

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/package.json ./package.json
COPY --from=build /app/dist ./dist
RUN install -d -o node -g node -m 0700 /state && install -d -o node -g node /share
USER node
VOLUME ["/state"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "dist/client/main.js"]
CMD ["worker"]
