// `drawbridge check`: what files would be called and which documents they would
// join, before they are dropped.

import type { ProjectRules } from '../../activities/ingest/decide/project-rules';
import type { ShareConfig } from '../../activities/share/share-config';
import type { Naming } from '../../workflows/contract';
import { chooseShare } from '../session/choose-project';
import { type NamePreview, pathsInDrop, previewName, UNKNOWN_PROJECT } from '../session/preview-names';
import { type GlobalOptions, loadCommandConfig } from '../session/session';
import { sharesOf } from '../session/stand-in';
import { toTable, toVisible } from '../session/terminal-text';
import { withService } from '../sign-in/service-session';
import { type AddCommand, print } from './command';

/** What a screen can use; `--json` has no such bound. */
const MOST_ROWS = 500;

interface CheckOptions {
  readonly share?: string;
  readonly offline?: true;
  readonly json?: true;
}

interface CheckReport {
  readonly share: string;
  readonly documentName: Naming;
  /** Without an answer, a naming standard of the project is not known. */
  readonly askedService: boolean;
  readonly files: readonly NamePreview[];
}

export const addCheckCommand: AddCommand = (program, globals) => {
  program
    .command('check')
    .description('show what files would be called and which documents they would join; changes nothing')
    .argument('[files...]', 'files, folders, or names to come (default: what is in the drop folder)')
    .option('--share <name>', 'which share; may be left out when there is one')
    .option('--offline', 'do not ask the service whether the project has a naming standard')
    .option('--json', 'as JSON')
    .action(async (files: string[], options: CheckOptions) => {
      const config = loadCommandConfig(globals(), 'leave');
      const share = chooseShare(sharesOf(config), options.share);
      const askedService = options.offline !== true && config.service !== undefined;
      const rules = askedService ? await askProject(globals(), share) : UNKNOWN_PROJECT;
      const previews: NamePreview[] = [];
      for await (const path of pathsInDrop(share, files)) previews.push(previewName(share, path, rules));
      previews.sort((one, other) => (one.path < other.path ? -1 : 1));
      const report = {
        share: share.name,
        documentName: share.policy.naming,
        askedService,
        files: previews,
      };
      print(options.json === true ? JSON.stringify(report, undefined, 2) : describeCheck(report));
    });
};

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
