// An ES module, with others below it: loaded by Node itself.
module.exports = globalThis.loadByNode('openid-client');
