// What is away, and what stopped short.

export const operations = {
  noAnswer: 'it does not answer',
  noWorker: 'No worker is running.',
  serviceUnserved: 'No worker asks the service.',
  unserved: (shares: readonly string[]) =>
    `No worker serves ${shares.map(name => `share ${name}`).join(', ')}.`,
  cannotResume: 'Temporal is away: nothing can be resumed before it is back.',
};
