import type { FactoryProvider, ModuleMetadata } from '@nestjs/common';
import { IsDefined } from 'class-validator';
import { isFunction, isList, isText, must, Rule } from './option.validation.js';

/** Names the options that the modules with a controller have in common, whatever the controller serves. */
type ControllerModuleOption = 'operator' | 'path' | 'guards' | 'decorators' | 'useFactory';

/** Has the rules for the options of a module with a controller that are known before the application starts. */
export class ControllerModuleRules implements Record<
  ControllerModuleOption | keyof Pick<ModuleMetadata, 'imports' | 'providers'> | keyof Pick<FactoryProvider, 'inject'>,
  unknown
> {
  @Rule(isText) operator: unknown;
  // An empty path would have the controller get everything that is meant for others.
  @Rule(isText, must('more than slashes', (value) => (value as string).replaceAll('/', '') !== '')) path: unknown;
  @Rule(isList) guards: unknown;
  @Rule(isList) decorators: unknown;
  @Rule(isList) imports: unknown;
  @Rule(isList) providers: unknown;
  @IsDefined({ message: 'useFactory is missing' }) @Rule(isFunction) useFactory: unknown;
  @Rule(isList) inject: unknown;
}
