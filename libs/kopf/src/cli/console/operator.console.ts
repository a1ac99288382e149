import { userInfo } from 'node:os';
import type { INestApplicationContext } from '@nestjs/common';
import { NestLogger } from '../../common/nest.logger.js';
import type { OperatorSource } from '../../inspection/operator/running.operator.js';
import { createSource } from '../../inspection/operator/inspect.operator.js';
import { collectServices, serviceTokensOf } from '../../inspection/operator/service.tokens.js';
import { ACTIONS, ActionGate } from '../../console/server/action.gate.js';
import type { CliEnvironment } from '../cli.environment.js';
import type { ConsolePlace } from './console.place.js';
import { LocalConsole } from './local.console.js';

const HISTORY = { keep: 'viewed', seconds: 300, perObject: 100, objects: 10_000 } as const;

/** The console of an operator that a command runs, with all actions: who has started the operator can do anything with it. */
export class OperatorConsole {
  private constructor(
    /** The address to open, with the token. */
    readonly address: string,
    private readonly sources: readonly OperatorSource[],
    private readonly server: LocalConsole,
  ) {}

  /**
   * Begins to serve.
   *
   * @param operators the names of the operators of the application.
   * @throws CommandError if the port is in use.
   */
  static async start(
    app: INestApplicationContext,
    operators: readonly string[],
    { port, token }: ConsolePlace,
    { clock, version }: CliEnvironment,
  ): Promise<OperatorConsole> {
    const tokens = operators.flatMap(serviceTokensOf);
    const services = collectServices(
      operators,
      tokens.map((each): unknown => app.get(each, { strict: false })),
    );
    const sources = services.map((each) => createSource(app, each, { redact: [], history: HISTORY }));
    const logger = new NestLogger('Kopf');
    const authenticate = () => ({ user: userInfo().username });
    const gate = new ActionGate({ allow: ACTIONS, authenticate, authorize: () => true }, logger);
    const server = new LocalConsole(token, { sources, gate, clock, logger, version });
    return new OperatorConsole(await server.start(port), sources, server);
  }

  async stop(): Promise<void> {
    await this.server.stop();
    for (const source of this.sources) source.close();
  }
}
