// `drawbridge check`: what would become of a folder before it is dropped, row by row; of single files, what
// they would be called and which documents they would join.
import { lstat } from 'node:fs/promises';
import { extname, resolve } from 'node:path';

import type { ProjectRules } from '../../activities/ingest/decide/project-rules';
import { SHARE_DEFAULTS, type ShareConfig } from '../../activities/share/share-config';
import { formatOfResult, type ResultSheet } from '../../activities/test-run/result-sheet';
import type { Config } from '../../workers/config/config';
import type { Naming } from '../../workflows/contract';
import { describeTest } from '../check/describe-test';
import { findFolder, testFolder } from '../check/test-folder';
import { chooseShare } from '../session/choose-project';
import { CliError, EXIT_CODES } from '../session/cli-error';
import { type AddCommand, print } from '../session/command';
import { type GlobalOptions, loadCommandConfig } from '../session/command-config';
import { type NamePreview, pathsInDrop, previewName, UNKNOWN_PROJECT } from '../session/preview-names';
import { sharesOf } from '../session/stand-in';
import { createPaint, toTable, toVisible } from '../session/terminal-text';
import { requireFree, writeOutput } from '../session/write-output';
import { withService } from '../sign-in/service-session';

/** What a screen can use; `--json` has no such bound. */
const MOST_ROWS = 500;

interface CheckOptions {
  readonly share?: string;
  readonly offline?: true;
  readonly json?: true;
  readonly output?: string;
}

interface CheckReport {
  readonly share: string;
  readonly documentName: Naming;
  /** False: whether the project has a naming standard is not known. */
  readonly askedService: boolean;
  readonly files: readonly NamePreview[];
}

export const addCheckCommand: AddCommand = (declared, globals) => {
  declared
    .option('--share <name>', 'which share; may be left out when there is one')
    .option('--offline', 'names only: do not ask the service')
    .option('--json', 'as JSON')
    .option('-o, --output <file>', 'of a folder: its register, or a list, with what would become of each row')
    .action(async (files: string[], options: CheckOptions) => {
      const [path] = files.length === 1 && options.offline !== true ? files : [];
      const folder = path === undefined ? undefined : await findFolder(path);
      if (path !== undefined && folder === undefined) await refuseMistyped(path);
      const config = loadCommandConfig(globals(), folder === undefined ? 'leave' : 'read');
      const share = chooseShare(sharesOf(config), options.share);
      if (folder !== undefined && folder !== (await findFolder(dropOf(share)))) {
        await runTest(config, share, folder, options);
        return;
      }
      if (options.output !== undefined) {
        throw new CliError(
          '-o is for the test of one folder: name that, without --offline.',
          EXIT_CODES.usage,
        );
      }
      await checkNames(globals(), share, files, options);
    });
};

/**
 * One name that is nowhere and has no ending is a folder that was mistyped: taken for a file to come, it
 * would be fine, and a script would go on.
 */
async function refuseMistyped(path: string): Promise<void> {
  const mayBeFile = extname(path) !== '' && !/[\\/]$/.test(path);
  if (mayBeFile || (await lstat(path).catch(() => undefined)) !== undefined) return;
  throw new CliError(
    `There is no folder ${path}. For the name of a file that is still to come, add --offline.`,
    EXIT_CODES.usage,
  );
}

async function runTest(
  config: Config,
  share: ShareConfig,
  folder: string,
  { output, json }: CheckOptions,
): Promise<void> {
  if (output !== undefined) await requireFree(output);
  const { report, sheet } = await testFolder(config, share, folder, register =>
    requireEnding(output, formatOfResult(register)),
  );
  if (output !== undefined) {
    // A register that cannot be written comes back as a workbook.
    requireEnding(output, sheet.format);
    await writeOutput(output, sheet.bytes);
  }
  print(
    json === true ? JSON.stringify(report, undefined, 2) : describeTest(report, createPaint(process.stdout)),
  );
  if (output !== undefined && json !== true) print(`\nRow by row: ${output}`);
  const { held, 'set-apart': apart, 'not-there': missing } = report.tally;
  if (held + apart + missing > 0) process.exitCode = EXIT_CODES.failed;
}

function requireEnding(output: string | undefined, format: ResultSheet['format']): void {
  if (output === undefined || output.toLowerCase().endsWith(`.${format}`)) return;
  throw new CliError(`The result is a ${format} file: name it so, not "${output}".`, EXIT_CODES.usage);
}

function dropOf({ folder, drop = SHARE_DEFAULTS.drop }: ShareConfig): string {
  return resolve(folder, drop);
}

async function checkNames(
  globals: GlobalOptions,
  share: ShareConfig,
  files: readonly string[],
  options: CheckOptions,
): Promise<void> {
  const { service } = loadCommandConfig(globals, 'leave');
  const askedService = options.offline !== true && service !== undefined;
  const rules = askedService ? await askProject(globals, share) : UNKNOWN_PROJECT;
  const previews: NamePreview[] = [];
  for await (const path of pathsInDrop(share, files)) previews.push(previewName(share, path, rules));
  previews.sort((one, other) => (one.path < other.path ? -1 : 1));
  const report = { share: share.name, documentName: share.policy.naming, askedService, files: previews };
  print(options.json === true ? JSON.stringify(report, undefined, 2) : describeCheck(report));
}

async function askProject(globals: GlobalOptions, share: ShareConfig): Promise<ProjectRules> {
  return await withService(
    loadCommandConfig(globals, 'read'),
    async ({ lookups }) => await lookups.rules(share.project),
  );
}

/** A table, and below it what it means and what is not known. */
function describeCheck(report: CheckReport): string {
  const { files, documentName, askedService } = report;
  if (files.length === 0) return 'No files there.';
  const rows = files
    .slice(0, MOST_ROWS)
    .map(({ path, name, matches, nameFrom }) => [
      toVisible(path),
      toVisible(name ?? '?'),
      toVisible(matches ?? '?'),
      describeOrigin(nameFrom, documentName),
    ]);
  const notes = [
    ...(files.length > MOST_ROWS ? [`${files.length - MOST_ROWS} more; --json shows all of them.`] : []),
    ...describeSame(files),
    'Each becomes the next revision of the document that has what stands under MATCHES, or a new document where there is none.',
    ...(askedService
      ? []
      : ['The service was not asked: with a naming standard, the project would compute these names itself.']),
  ];
  return [toTable([['FILE', 'NAME', 'MATCHES', 'NAME FROM'], ...rows]), ...notes].join('\n');
}

function describeOrigin(nameFrom: NamePreview['nameFrom'], documentName: Naming): string {
  switch (nameFrom) {
    case 'pattern':
      return "the share's pattern";
    case 'documentName':
      return `documentName: ${documentName}`;
    case 'naming-standard':
      return "the project's naming standard";
    case 'service':
      return 'the service (documentName: service)';
  }
}

/** Files that would come into one document, one after the other. */
function describeSame(files: readonly NamePreview[]): readonly string[] {
  const byMatch = new Map<string, string[]>();
  for (const { matches, path } of files) {
    if (matches !== null) byMatch.set(matches, [...(byMatch.get(matches) ?? []), path]);
  }
  return [...byMatch.values()]
    .filter(paths => paths.length > 1)
    .slice(0, MOST_ROWS)
    .map(paths => `Revisions of one document: ${paths.map(path => toVisible(path)).join(', ')}.`);
}
