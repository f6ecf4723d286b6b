// Loaded into every process of the product that the suite starts: it ends with the suite, however that ends.
process.on('disconnect', () => {
  process.kill(process.pid, 'SIGKILL');
});
