// In place of the product's own list (jest.config.js): a thread of a test compiles the sources on the way in.
module.exports = { THREAD_PRELOADS: [require.resolve('./typescript-hook.cjs')] };
