import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { ExecutionSettings } from './execution.settings.js';
import { NetworkingSettings } from './networking.settings.js';
import { PersistenceSettings } from './persistence.settings.js';
import { PostingSettings } from './posting.settings.js';
import { QueueingSettings } from './queueing.settings.js';
import { ScanningSettings } from './scanning.settings.js';
import { WatchingSettings } from './watching.settings.js';

/**
 * All settings of one operator. They can be given as module options, and changed in `@OnStartup` handlers;
 * later changes affect what reads them later.
 */
export class KopfSettings {
  @ValidateNested() @Type(() => ExecutionSettings) readonly execution = new ExecutionSettings();
  @ValidateNested() @Type(() => NetworkingSettings) readonly networking = new NetworkingSettings();
  @ValidateNested() @Type(() => PersistenceSettings) readonly persistence = new PersistenceSettings();
  @ValidateNested() @Type(() => PostingSettings) readonly posting = new PostingSettings();
  @ValidateNested() @Type(() => QueueingSettings) readonly queueing = new QueueingSettings();
  @ValidateNested() @Type(() => ScanningSettings) readonly scanning = new ScanningSettings();
  @ValidateNested() @Type(() => WatchingSettings) readonly watching = new WatchingSettings();
}
