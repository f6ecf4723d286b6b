// A drawing of one page as a real PDF: a frame, a title block, and a few lines. Pure, and the same bytes for
// the same texts.

export interface SampleDrawing {
  readonly number: string;
  readonly revision: string;
  readonly title: string;
}

/** A4, lying, in points. */
const PAGE = { width: 842, height: 595 };

export function drawPdf({ number, revision, title }: SampleDrawing): Buffer {
  const drawn = [
    '1 w 30 30 782 535 re S',
    '0.6 w 560 30 252 120 re S',
    '0.4 w 80 250 430 230 re 80 250 180 120 re 260 370 250 110 re S',
    textAt(572, 125, 9, 'SAMPLE'),
    textAt(572, 95, 16, number),
    textAt(572, 70, 11, title),
    textAt(572, 45, 11, `Revision ${revision}`),
  ].join('\n');
  return assemble([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${PAGE.width} ${PAGE.height}] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>`,
    `<< /Length ${Buffer.byteLength(drawn, 'latin1')} >>\nstream\n${drawn}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ]);
}

function textAt(x: number, y: number, size: number, text: string): string {
  return `BT /F1 ${size} Tf ${x} ${y} Td (${text.replace(/[\\()]/g, '\\$&')}) Tj ET`;
}

/** The objects one after the other, and below them the table that says where each begins. */
function assemble(objects: readonly string[]): Buffer {
  let file = '%PDF-1.4\n';
  const begins: number[] = [];
  for (const [at, object] of objects.entries()) {
    begins.push(file.length);
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
  }
  const entries = begins.map(begin => `${String(begin).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  const end = `xref\n0 ${size}\n0000000000 65535 f \n${entries}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(file + end, 'latin1');
}
