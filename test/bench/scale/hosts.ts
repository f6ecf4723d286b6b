// What one of the hosts of a fleet has to do, by the figures of docs/figures.md. Each is given from the least
// to the most that was seen, of bytes from a machine to one about half as fast; so is what is reckoned from
// them.
import { batchesPerDayOf, type Fleet } from './model';

/** From the least to the most. */
type Span = readonly [number, number];

/** Hashing at the claim and sending: row 8. */
const CPU_SECONDS_A_GIBIBYTE: Span = [1.09, 1.85];
/** Of worker and watcher together for a batch of one small file, and for each more: `batch-cpu`. */
const CPU_SECONDS_A_BATCH: Span = [0.4, 0.55];
const CPU_SECONDS_A_FILE: Span = [0.0115, 0.017];
/**
 * Of a worker that asks for work of a share all day, and there is none: 300 queues of 100 took 0.77 s in 20
 * s.
 */
const CPU_SECONDS_A_SHARE = (0.77 / 20 / 100) * 86_400;
/**
 * Of one process that watches and carries so many shares, eight of them at work with three batches each: row
 * 8.
 */
const MEASURED = { shares: 200, openBatches: 24 };
const MEMORY_MEBIBYTES: Span = [472, 518];
/** Read once to be hashed, and once to be sent. */
const TIMES_READ = 2;

export interface HostNeeds {
  readonly batchesPerDay: number;
  readonly documentsPerDay: number;
  readonly shares: number;
  readonly sentGibibytesPerDay: number;
  readonly readMebibytesPerSecond: number;
  readonly openBatches: number;
  /** For its documents. */
  readonly cpuSecondsPerDay: Span;
  /** For asking whether there is work, whatever comes. */
  readonly idleCpuSecondsPerDay: number;
  /** Both, of one core in the hours in which documents come. */
  readonly coresBusy: Span;
  /** Of one process; none where a host has more shares, or more batches at a time, than were measured. */
  readonly memoryMebibytes: Span | undefined;
}

/** Work is taken to be spread evenly over the hosts. */
export function hostNeedsOf(fleet: Fleet): HostNeeds {
  const { hosts, meanFileBytes, minutesOfBatch } = fleet;
  const batchesPerDay = batchesPerDayOf(fleet) / hosts;
  const documentsPerDay = fleet.documentsPerDay / hosts;
  const sentGibibytesPerDay = (documentsPerDay * meanFileBytes) / 1024 ** 3;
  const busySeconds = fleet.busyHours * 3_600;
  const shares = fleet.shares / hosts;
  const cpuAt = (end: 0 | 1): number =>
    sentGibibytesPerDay * CPU_SECONDS_A_GIBIBYTE[end] +
    (documentsPerDay - batchesPerDay) * CPU_SECONDS_A_FILE[end] +
    batchesPerDay * CPU_SECONDS_A_BATCH[end];
  const cpuSecondsPerDay: Span = [cpuAt(0), cpuAt(1)];
  const idleCpuSecondsPerDay = shares * CPU_SECONDS_A_SHARE;
  const coresAt = (end: 0 | 1): number => cpuSecondsPerDay[end] / busySeconds + idleCpuSecondsPerDay / 86_400;
  const openBatches = (batchesPerDay * minutesOfBatch * 60) / busySeconds;
  const wasMeasured = shares <= MEASURED.shares && openBatches <= MEASURED.openBatches;
  return {
    batchesPerDay,
    documentsPerDay,
    shares,
    sentGibibytesPerDay,
    readMebibytesPerSecond: (TIMES_READ * sentGibibytesPerDay * 1024) / busySeconds,
    openBatches,
    cpuSecondsPerDay,
    idleCpuSecondsPerDay,
    coresBusy: [coresAt(0), coresAt(1)],
    memoryMebibytes: wasMeasured ? MEMORY_MEBIBYTES : undefined,
  };
}
