import { Inject, Injectable } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { operatorOf } from '../decorators/for-operator.decorator.js';
import type { HandlerMetadata } from '../decorators/handler.metadata.js';
import { InjectOwn, DEFAULT_OPERATOR, KOPF_OPERATOR_NAME } from '../kopf.tokens.js';
import { groupBy } from 'kube-common';
import { HandlerMetadataAccessor } from './handler-metadata.accessor.js';
import { findInstances } from './nest.internals.js';

/** The handlers of a method that an operator calls, and the violations of those that no operator would call. */
export interface AssignedHandlers {
  readonly handlers: readonly HandlerMetadata[];
  /** One message for each handler that no operator would call. */
  readonly violations: readonly string[];
}

/** The assignment of handlers to the operators of the application, by the operators' names. */
@Injectable()
export class OperatorAssignment {
  private names?: ReadonlySet<string>;

  constructor(
    @InjectOwn(KOPF_OPERATOR_NAME) private readonly own: string,
    @Inject(HandlerMetadataAccessor) private readonly accessor: HandlerMetadataAccessor,
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
  ) {}

  /** Finds names that several operators have: each of them would call all handlers that are assigned to the name. */
  findNameConflicts(): readonly string[] {
    const operators = findInstances(this.modules, OperatorAssignment);
    const namesakes = [...groupBy(operators, ({ instance }) => instance.own)];
    return namesakes.flatMap(([name, found]) => {
      if (found.length < 2) return [];
      const importers = found.map((operator) => operator.importers.join(', ') || 'a module').join('; by ');
      const which = name === DEFAULT_OPERATOR ? '' : ` with the name '${name}'`;
      return [
        `KopfModule.forRoot() or forRootAsync() was called ${found.length} times${which} in one application: for the imports by ` +
          `${importers}. Each call makes an operator of its own, and all of them would call all handlers. Call it once, in the ` +
          'root module; where it must be imported several times, keep what it returns in a constant. An operator for another ' +
          `cluster needs ${name === DEFAULT_OPERATOR ? 'a name' : 'another name'}: KopfModule.forRoot({ name }).`,
      ];
    });
  }

  /** Checks whether a class has handlers of any operator. */
  hasHandlers(prototype: object): boolean {
    return this.accessor.hasHandlers(prototype);
  }

  /** Finds the handlers of a class that another decorator has broken, each with what to do. */
  findSpoilt(prototype: object): readonly string[] {
    return this.accessor.findSpoilt(prototype);
  }

  /** Checks whether a method is a handler of any operator. */
  isHandler(prototype: object, methodName: string): boolean {
    return this.accessor.handlersOf((prototype as Record<string, () => unknown>)[methodName]).length > 0;
  }

  /** Reads the handlers of a method that are assigned to this operator. */
  assign(prototype: object, methodName: string): AssignedHandlers {
    const found = this.accessor.handlersOf((prototype as Record<string, () => unknown>)[methodName]);
    if (found.length === 0) return { handlers: [], violations: [] };
    const type = prototype.constructor;
    const unknown = found.filter((handler) => !this.findNames().has(operatorNameOf(handler, type)));
    return {
      handlers: found.filter((handler) => operatorNameOf(handler, type) === this.own),
      violations: unknown.map((handler) => this.describeUnknown(handler, type, methodName)),
    };
  }

  private findNames(): ReadonlySet<string> {
    return (this.names ??= new Set(
      findInstances(this.modules, OperatorAssignment).map(({ instance }) => instance.own),
    ));
  }

  private describeUnknown(handler: HandlerMetadata, type: { readonly name: string }, methodName: string): string {
    const name = operatorNameOf(handler, type);
    const names = [...this.findNames()].map((known) => `'${known}'`).join(', ');
    const where = `${type.name}.${methodName} (${handler.decorator})`;
    if (handler.options.operator === undefined && operatorOf(type) === undefined) {
      return (
        `${where}: neither the option 'operator' nor @ForOperator() on ${type.name} names an operator, and there is none without a name; ` +
        `name one of ${names}, or import KopfModule.forRoot() without a name`
      );
    }
    const source = handler.options.operator === undefined ? `@ForOperator() on ${type.name}` : "option 'operator'";
    return (
      `${where}: ${source} names '${name}', but there is no such operator; name one of ${names}, or import ` +
      `KopfModule.forRoot({ name: '${name}' })`
    );
  }
}

function operatorNameOf({ options }: HandlerMetadata, type: object): string {
  return (options.operator as string | undefined) ?? operatorOf(type) ?? DEFAULT_OPERATOR;
}
