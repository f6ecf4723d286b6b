// What a sheet may cost. A register of 5,000 rows and 30 columns is 1 MB packed and 10 MB unpacked; what is
// far beyond that is no register, or was made to fill somebody's memory.

export interface SheetLimits {
  /** The file as it lies on the share. */
  readonly packedBytes: number;
  /** All parts of a workbook that are read, together. */
  readonly unpackedBytes: number;
  /** Parts of a workbook, read or not: pictures, drawings and all. */
  readonly parts: number;
  readonly sheets: number;
  /** Of one sheet: the last one that holds something. */
  readonly rows: number;
  readonly columns: number;
  /** Of all sheets together, those that hold something. */
  readonly cells: number;
  /**
   * Of a workbook: how many places its rows may have for each of `cells`, blank ones before a row's last cell
   * included.
   */
  readonly placesForCell: number;
  /** Of one cell, in UTF-16 units. A cell of a workbook cannot hold more than this default. */
  readonly cellLength: number;
  /** Different texts of a workbook. */
  readonly sharedStrings: number;
  /** JavaScript memory of a thread that reads or writes a workbook. */
  readonly heapMb: number;
  /** How long reading a workbook may take. */
  readonly readMs: number;
  /** How long writing one may take. */
  readonly writeMs: number;
}

export const SHEET_LIMITS: SheetLimits = {
  packedBytes: 20 * 1024 * 1024,
  unpackedBytes: 64 * 1024 * 1024,
  parts: 2_000,
  sheets: 50,
  rows: 50_000,
  columns: 500,
  cells: 1_000_000,
  placesForCell: 5,
  cellLength: 32_767,
  sharedStrings: 500_000,
  heapMb: 512,
  readMs: 30_000,
  writeMs: 60_000,
};
