// The server of uploads, loaded by Node itself: it is made of ES modules that jest's own loader never takes.
const load = globalThis.loadByNode ?? require;

module.exports = load('@tus/server');
