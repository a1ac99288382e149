import { Option } from 'commander';
import type { CommandDefinition } from '../cli.command.js';
import { EXIT_CODES, UsageError } from '../exit.codes.js';
import { IntegerOption } from '../option.kinds.js';
import { addOperatorOptions, checkFiles, generate, writeFiles, type OperatorOptions } from '../operator.manifests.js';

const FORMATS = ['yaml', 'kustomize', 'helm', 'olm'] as const;

interface ManifestsOptions extends OperatorOptions {
  readonly format: (typeof FORMATS)[number];
  readonly directory?: string;
  readonly force?: boolean;
  readonly check?: boolean;
  readonly port?: number;
  readonly image?: string;
  readonly replicas?: number;
  readonly appVersion?: string;
  readonly namespacesVariable?: string;
}

/** `kopf manifests`: what an operator needs in the cluster. */
export const manifestsCommand: CommandDefinition = {
  configure(command) {
    addOperatorOptions(command);
    command
      .addOption(new Option('--format <format>', 'What the files are for.').choices(FORMATS).default('yaml'))
      .option(
        '-d, --directory <folder>',
        'Write the files there, and keep what was changed in them. (default: print them)',
      )
      .option('--force', 'Overwrite files in the folder that were not generated.')
      .option(
        '--check',
        'Write nothing, and end with the code 1 if files in the folder are not as they would be generated.',
      )
      .option('--image <image>', 'The image of the operator, with its tag.')
      .addOption(new IntegerOption('--replicas <number>', 'The number of replicas.', 1))
      .addOption(new IntegerOption('--port <number>', 'The port that the application listens at. (default: 3000)', 1))
      .option('--app-version <version>', 'The version of charts and bundles: 1.2.3.')
      .option(
        '--namespaces-variable <name>',
        'The variable with the namespaces to serve, which charts have as a value and OLM sets.',
      );
  },

  async run([files], options: ManifestsOptions, environment) {
    const {
      format,
      directory,
      force = false,
      check = false,
      image,
      replicas,
      port,
      appVersion,
      namespacesVariable,
    } = options;
    if (force && directory === undefined) throw new UsageError('--force needs --directory.');
    if (check && directory === undefined) throw new UsageError('--check needs --directory.');
    if (check && force) throw new UsageError('--check writes nothing, so that --force means nothing.');
    const more = {
      format,
      ...(image !== undefined && { image }),
      ...(replicas !== undefined && { replicas }),
      ...(port !== undefined && { port }),
      ...(namespacesVariable !== undefined && { namespacesVariable }),
      ...(appVersion !== undefined && { olm: { version: appVersion } }),
    };
    const generated = await generate(files as readonly string[], options, more, environment);
    if (directory === undefined) {
      const text = Object.entries(generated.files).map(([path, content]) => `# ${path}\n${content}`);
      return { data: generated.files, text: text.join('---\n') };
    }
    if (check) {
      const states = checkFiles(directory, generated.files, environment);
      const wrong = Object.entries(states).filter(([, state]) => state !== 'current');
      const lines = wrong.map(([path, state]) => `${path}: ${STATES[state as keyof typeof STATES]}`);
      const text = lines.length > 0 ? lines.join('\n') : 'All files are as they would be generated.';
      return { data: states, text, exitCode: wrong.length > 0 ? EXIT_CODES.failed : EXIT_CODES.good };
    }
    const outcomes = writeFiles(directory, generated.files, force, environment);
    const failed = Object.values(outcomes).some((outcome) => outcome === 'conflict' || outcome === 'foreign');
    const lines = Object.entries(outcomes).map(([path, outcome]) => `${path}: ${TEXTS[outcome]}`);
    return { data: outcomes, text: lines.join('\n'), exitCode: failed ? EXIT_CODES.failed : EXIT_CODES.good };
  },
};

const TEXTS = {
  created: 'created',
  updated: 'updated',
  unchanged: 'unchanged',
  merged: 'updated, and your changes were kept',
  conflict: 'you have changed the same lines; both are there, between <<<<<<< and >>>>>>>',
  foreign: 'is there already, but was not generated; move it away, or add --force',
} as const;

const STATES = {
  stale: 'is stale: it would be generated otherwise now',
  missing: 'is missing',
  foreign: 'is there, but was not generated',
  obsolete: 'would not be generated any more; remove it, and its copy in .kopf-manifests',
  conflict: 'has the marks of a merge between <<<<<<< and >>>>>>>',
} as const;
