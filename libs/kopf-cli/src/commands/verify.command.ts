import type { Login } from 'nestjs-kopf/tooling';
import type { CommandDefinition } from '../cli.command.js';
import type { CliEnvironment } from '../cli.environment.js';
import { CliLogger } from '../cli.logger.js';
import { addClusterOptions, ClusterConnection, createLogin, type ClusterOptions } from '../cluster.connection.js';
import { CommandError, EXIT_CODES, UsageError } from '../exit.codes.js';
import { RepeatableOption } from '../option.kinds.js';
import {
  addOperatorOptions,
  generate,
  readGrants,
  readObjects,
  reviewGrants,
  verifyPermissions,
  type ObservedPermissions,
  type OperatorOptions,
  type VerificationFinding,
} from '../operator.manifests.js';

interface VerifyOptions extends OperatorOptions, ClusterOptions {
  readonly filename?: readonly string[];
  readonly cluster?: boolean;
  readonly run?: string;
}

/** `kopf verify`: whether an operator is allowed what it needs, and nothing else. */
export const verifyCommand: CommandDefinition = {
  configure(command) {
    addOperatorOptions(command);
    command
      .addOption(new RepeatableOption('-f, --filename <file>', 'A file with the roles and bindings of the operator.'))
      .option('--cluster', "Ask the cluster about the operator's account, which you must be allowed to impersonate.")
      .option(
        '--run <file>',
        'The permissions that a run has used, as JSON: what learnPermissions() of nestjs-kopf-cli returns.',
      );
    addClusterOptions(command);
  },

  async run([files], options: VerifyOptions, environment) {
    const { name, namespace, account, filename, cluster, run } = options;
    if (!filename && !cluster && run === undefined)
      throw new UsageError('Name what to compare: --filename, --cluster, or --run.');
    const { permissions: required, optional } = await generate(files as readonly string[], options, {}, environment);
    const findings: VerificationFinding[] = [];
    if (filename) {
      const objects = filename.flatMap((file) => readObjects(file, environment));
      const { granted, warnings } = readGrants(objects, { name, namespace, account });
      for (const warning of warnings) environment.stderr.write(`${environment.name}: ${warning}\n`);
      findings.push(...verifyPermissions({ required, granted }));
    }
    if (cluster) {
      const namespaces = new Set(required.flatMap((permission) => permission.namespace ?? []));
      const granted = await askCluster(options, [...namespaces], environment);
      findings.push(...verifyPermissions({ required, granted }));
    }
    if (run !== undefined) {
      const observed = readRun(run, environment);
      findings.push(...verifyPermissions({ required, optional, observed }));
    }
    const hasFailed = findings.some(({ kind }) => kind !== 'unused');
    const text = findings.map(({ kind, message }) => `${kind}: ${message}`).join('\n');
    return {
      data: findings,
      text: text || 'The operator is allowed what it needs, and nothing else.',
      exitCode: hasFailed ? EXIT_CODES.failed : EXIT_CODES.good,
    };
  },
};

/** Reviews the permissions as the operator's account. */
async function askCluster(options: VerifyOptions, namespaces: readonly string[], environment: CliEnvironment) {
  const logger = new CliLogger(environment);
  const login = createLogin(options, environment, logger);
  const { namespace, name, account = name } = options;
  const impersonateUser = `system:serviceaccount:${namespace}:${account}`;
  const loginAsOperator: Login = async (signal) => {
    const infos = await login(signal);
    return new Map([...infos].map(([id, info]) => [id, { ...info, impersonateUser }]));
  };
  const connection = new ClusterConnection(loginAsOperator, environment, logger);
  try {
    return await reviewGrants(connection.api, namespaces);
  } finally {
    await connection.close();
  }
}

/** @throws CommandError if the file holds anything else. */
function readRun(file: string, environment: CliEnvironment): ObservedPermissions {
  const [run] = readObjects(file, environment) as unknown as readonly Partial<ObservedPermissions>[];
  if (!Array.isArray(run?.used) || !Array.isArray(run.refused)) {
    throw new CommandError(`${file} does not have what learnPermissions() returns, with used and refused permissions.`);
  }
  return run as ObservedPermissions;
}
