// The library for workbooks with all its entries in one, loaded by Node itself where jest would load it. In a
// thread, which is none of jest's, Node does so anyway.
const load = globalThis.loadByNode ?? require;

module.exports = { ...load('hucre'), ...load('hucre/xlsx'), ...load('hucre/xml') };
