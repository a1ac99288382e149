import { userInfo } from 'node:os';
import type { INestApplicationContext } from '@nestjs/common';
import { type ClosableInspection, inspectOperator } from 'nestjs-kopf/inspection';
import { findServices, NestLogger } from 'nestjs-kopf/tooling';
import { ActionGate, ACTIONS, OperatorActions } from 'nestjs-kopf-console';
import type { CliEnvironment } from '../cli.environment.js';
import type { ConsolePlace } from './console.place.js';
import { LocalConsole } from './local.console.js';

/** The console of an operator that a command runs, with all actions: the user who has started the operator can do anything with it. */
export class OperatorConsole {
  private constructor(
    /** The address to open, with the token. */
    readonly address: string,
    private readonly inspections: readonly ClosableInspection[],
    private readonly server: LocalConsole,
  ) {}

  /**
   * Begins to serve.
   *
   * @param names the names of the operators of the application.
   * @throws CommandError if the port is in use.
   */
  static async start(
    app: INestApplicationContext,
    names: readonly string[],
    { port, token }: ConsolePlace,
    { clock, version }: CliEnvironment,
  ): Promise<OperatorConsole> {
    const operators = names.map((operator) => {
      const inspection = inspectOperator(app, { operator });
      return { inspection, actions: new OperatorActions(inspection, findServices(app, operator)) };
    });
    const logger = new NestLogger('Kopf');
    const authenticate = () => ({ user: userInfo().username });
    const gate = new ActionGate({ allow: ACTIONS, authenticate, authorize: () => true }, logger);
    const server = new LocalConsole(token, { operators, gate, clock, logger, version });
    const inspections = operators.map(({ inspection }) => inspection);
    return new OperatorConsole(await server.start(port), inspections, server);
  }

  async stop(): Promise<void> {
    await this.server.stop();
    for (const inspection of this.inspections) inspection.close();
  }
}
