// What a workbook had before it was changed and has not afterwards: looked for in the files themselves, so
// that it is told whatever the library does. Pure.

/** Name of a part to its bytes, as a workbook is unpacked. */
export type Parts = Readonly<Record<string, Uint8Array>>;

interface Kind {
  /** Goes on "Not carried over: ...". */
  readonly words: string;
  readonly in: RegExp;
  readonly mark: RegExp;
}

const SHEETS = /^xl\/worksheets\/[^/]+\.xml$/i;

const KINDS: readonly Kind[] = [
  {
    words: 'notes on cells',
    in: /^xl\/comments[^/]*\.xml$|^xl\/comments\//i,
    mark: /<(?:\w+:)?comment[\s/>]/g,
  },
  { words: 'drop-down lists', in: SHEETS, mark: /<(?:\w+:)?dataValidation[\s/>]/g },
  { words: 'conditional formats', in: SHEETS, mark: /<(?:\w+:)?cfRule[\s/>]/g },
  { words: 'links', in: SHEETS, mark: /<(?:\w+:)?hyperlink[\s/>]/g },
  { words: 'merged cells', in: SHEETS, mark: /<(?:\w+:)?mergeCell[\s/>]/g },
  { words: 'pictures', in: /^xl\/drawings\/drawing[^/]*\.xml$/i, mark: /<xdr:pic[\s/>]/g },
  { words: 'charts', in: /^xl\/drawings\/drawing[^/]*\.xml$/i, mark: /<(?:\w+:)?chart[\s]/g },
  { words: 'drawn shapes', in: /^xl\/drawings\/drawing[^/]*\.xml$/i, mark: /<xdr:(?:sp|cxnSp|grpSp)[\s/>]/g },
  { words: 'buttons and other controls', in: SHEETS, mark: /<(?:\w+:)?(?:control|oleObject)[\s/>]/g },
  { words: 'small charts in cells', in: SHEETS, mark: /<(?:\w+:)?sparkline[\s/>]/g },
  { words: 'tables', in: /^xl\/tables\//i, mark: /<(?:\w+:)?table[\s/>]/g },
  { words: 'pivot tables', in: /^xl\/pivotTables\//i, mark: /<(?:\w+:)?pivotTableDefinition[\s/>]/g },
  { words: 'saved views', in: SHEETS, mark: /<(?:\w+:)?customSheetView[\s/>]/g },
  { words: 'protected ranges', in: SHEETS, mark: /<(?:\w+:)?protectedRange[\s/>]/g },
  {
    words: 'names of cells',
    in: /^xl\/workbook\.xml$/i,
    mark: /<(?:\w+:)?definedName [^>]*name="(?!_xlnm)/g,
  },
  { words: 'comments in threads', in: /^xl\/threadedComments\//i, mark: /<(?:\w+:)?threadedComment[\s/>]/g },
  { words: 'macros', in: /^xl\/vbaProject\.bin$/i, mark: /^./s },
];

/** In plain words, with how many of how many: "2 of 5 drop-down lists". Nothing when all is there. */
export function listLostParts(before: Parts, after: Parts): readonly string[] {
  return KINDS.flatMap(kind => {
    const had = count(before, kind);
    const has = count(after, kind);
    if (has >= had) return [];
    return [has === 0 ? kind.words : `${had - has} of ${had} ${kind.words}`];
  });
}

function count(parts: Parts, kind: Kind): number {
  return Object.entries(parts)
    .filter(([name]) => kind.in.test(name))
    .reduce((sum, [, bytes]) => sum + (Buffer.from(bytes).toString('utf8').match(kind.mark)?.length ?? 0), 0);
}
