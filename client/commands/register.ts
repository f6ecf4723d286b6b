// `drawbridge register template`: the workbook that people fill and drop with their files. It asks the
// service for fields and allowed values, and changes nothing there.
import { basename } from 'node:path';
import { systemClock } from '../../activities/host/clock';
import { type Candidate, listNearest, resolveCandidate } from '../../activities/host/resolve-value';
import type { ProjectRules } from '../../activities/ingest/decide/project-rules';
import { describeFields, TYPE_FIELD } from '../../activities/ingest/describe-fields';
import type { TemplateField } from '../../activities/registers/template/template-fields';
import { type TemplateFile, writeTemplate } from '../../activities/registers/template/template-workbook';
import type { ShareConfig } from '../../activities/share/share-config';
import { emptyWordOf } from '../../workflows/ingest/decide/empty-word';
import { chooseShare } from '../session/choose-project';
import { CliError, EXIT_CODES } from '../session/cli-error';
import { type AddCommand, print } from '../session/command';
import { type GlobalOptions, loadCommandConfig } from '../session/command-config';
import { sharesOf } from '../session/stand-in';
import { listTemplateFiles } from '../session/template-files';
import { requireFree, writeOutput } from '../session/write-output';
import { withService } from '../sign-in/service-session';

interface TemplateOptions {
  readonly share?: string;
  readonly type?: string;
  readonly files?: string;
  readonly output: string;
  readonly force?: true;
}

export const addRegisterCommands: AddCommand = (group, globals) => {
  group
    .command('template')
    .description('make a workbook to fill: required columns marked, allowed values to pick from')
    .option('--share <name>', 'for which share; may be left out when there is one')
    .option(
      '--type <type>',
      'for documents of one type: what it requires is marked, and it stands in each row',
    )
    .option('--files <folder>', 'one row for each file of this folder, with what its name already gives')
    .option('-o, --output <file>', 'the workbook to make', 'register.xlsx')
    .option('--force', 'write over a file that is there')
    .action(async (options: TemplateOptions) => {
      if (!/\.xlsx$/i.test(options.output)) {
        throw new CliError(
          `A template is a workbook: name it .xlsx, not "${basename(options.output)}".`,
          EXIT_CODES.usage,
        );
      }
      if (options.force !== true) {
        await requireFree(options.output, 'name another one with -o, or give --force to write over it');
      }
      await makeTemplate(globals(), options);
    });
};

async function makeTemplate(globals: GlobalOptions, options: TemplateOptions): Promise<void> {
  const config = loadCommandConfig(globals, 'read');
  const share = chooseShare(sharesOf(config), options.share);
  const { rules, fields } = await withService(config, async ({ lookups }) => {
    const found = await lookups.rules(share.project);
    const given = { defaults: share.policy.defaults, forced: share.policy.values ?? {} };
    return { rules: found, fields: await describeFields(lookups, share.project, found, given) };
  });
  const type = options.type === undefined ? undefined : findType(fields, options.type);
  const files = await listFiles(share, options.files, rules);
  const bytes = await writeTemplate({
    share: share.name,
    project: `project ${share.project.projectId}`,
    fields,
    ...(type === undefined ? {} : { type }),
    files,
    emptyWord: emptyWordOf(share.policy),
    madeAt: new Date(systemClock.wallMs()),
  });
  await writeOutput(options.output, bytes, { isForced: options.force === true });
  const rows = options.files === undefined ? '' : `, ${files.length} ${files.length === 1 ? 'row' : 'rows'}`;
  print(`${options.output}: ${fields.length + 1} columns${rows}. Fill it, and drop it with its files.`);
}

/** The label of the type that is meant. */
function findType(fields: readonly TemplateField[], text: string): string {
  const values = fields.find(({ name }) => name === TYPE_FIELD)?.values ?? [];
  const candidates = values.map(
    ({ label, code, active }): Candidate => ({
      id: label,
      label,
      alternatives: code === '' ? [] : [code],
      active,
    }),
  );
  const resolution = resolveCandidate(text, candidates);
  if (resolution.kind === 'resolved') return resolution.value;
  const nearest = listNearest(
    text,
    candidates.filter(({ active }) => active),
  );
  const hint = nearest.length === 0 ? 'It has none.' : `Nearest: ${nearest.join(', ')}.`;
  throw new CliError(`"${text}" is no type of the project that may be given. ${hint}`, EXIT_CODES.usage);
}

async function listFiles(
  share: ShareConfig,
  folder: string | undefined,
  rules: ProjectRules,
): Promise<readonly TemplateFile[]> {
  return folder === undefined ? [] : await listTemplateFiles(share, folder, rules);
}
