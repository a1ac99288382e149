import type { FactoryProvider, ModuleMetadata } from '@nestjs/common';
import { IsDefined, ValidateIf } from 'class-validator';
import {
  excludes,
  isFunction,
  isList,
  isText,
  listOptions,
  must,
  Rule,
  type OptionsClass,
} from './option.validation.js';
import type { OptionsSources } from './options.providers.js';

/** The options that all modules with a controller have in common. */
type ControllerModuleOption =
  | 'operator'
  | 'path'
  | 'guards'
  | 'decorators'
  | keyof Pick<OptionsSources<unknown, unknown>, 'useFactory' | 'useClass' | 'useExisting'>;

/** The rules for those options of a module with a controller that are known before the application starts. */
export class ControllerModuleRules implements Record<
  ControllerModuleOption | keyof Pick<ModuleMetadata, 'imports' | 'providers'> | keyof Pick<FactoryProvider, 'inject'>,
  unknown
> {
  @Rule(isText) operator: unknown;
  // With an empty path, the controller would receive all requests of the application.
  @Rule(isText, must('more than slashes', (value) => (value as string).replaceAll('/', '') !== '')) path: unknown;
  @Rule(isList) guards: unknown;
  @Rule(isList) decorators: unknown;
  @Rule(isList) imports: unknown;
  @Rule(isList) providers: unknown;
  @ValidateIf(({ useFactory, useClass, useExisting }) => useFactory !== undefined || !(useClass || useExisting))
  @IsDefined({ message: 'useFactory is missing, as are useClass and useExisting' })
  @Rule(isFunction, excludes('useClass', 'useExisting'))
  useFactory: unknown;
  @Rule(isFunction, excludes('useExisting')) useClass: unknown;
  @Rule(isFunction) useExisting: unknown;
  @Rule(isList) inject: unknown;
}

/** The options of `forRootAsync()` that `forRoot()` does not have. */
const ASYNC_OPTIONS = ['useFactory', 'useClass', 'useExisting', 'inject'];

/**
 * Lists the options of a module's `forRoot()`.
 *
 * @param controller the class with the rules for options that are known before the application starts.
 * @param settings the class with the rules for options that `forRootAsync()` creates at the start.
 */
export function listSyncOptions(controller: OptionsClass, settings: OptionsClass): readonly string[] {
  return [...listOptions(settings), ...listOptions(controller).filter((name) => !ASYNC_OPTIONS.includes(name))];
}
