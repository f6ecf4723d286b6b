// Where the numbers of Temporal's library are read, once `npm run bench` has its runtime installed.
export const TEMPORAL_METRICS: { address?: string } = {};
