// In place of the SDK's own file of this name (jest.config.js): the workers of tests get threads that are
// kept.
const { dirname, join } = require('node:path');

const folder = join(dirname(require.resolve('@temporalio/worker/package.json')), 'lib', 'workflow');
const actual = require(join(folder, 'threaded-vm.js'));
const { KeptThread } = globalThis.loadByNode(join(__dirname, 'workflow-threads.cjs'));
const { ThreadedVMWorkflowCreator, WorkerThreadClient } = actual;

ThreadedVMWorkflowCreator.create = async ({ threadPoolSize, logger, patchActivationCallback, ...input }) => {
  const clients = Array.from({ length: threadPoolSize }, () => {
    const thread = new KeptThread(join(folder, 'workflow-worker-thread.js'));
    return new WorkerThreadClient(thread, logger, patchActivationCallback);
  });
  const hasPatchActivationCallback = patchActivationCallback !== undefined;
  const begin = { type: 'init', ...input, hasPatchActivationCallback };
  await Promise.all(clients.map(client => client.send(begin)));
  return new ThreadedVMWorkflowCreator(clients);
};

module.exports = actual;
