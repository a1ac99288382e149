import { AdmissionSettings } from './admission.settings.js';
import { BackgroundSettings } from './background.settings.js';
import { DeletionSettings } from './deletion.settings.js';
import { ExecutionSettings } from './execution.settings.js';
import { LeaseSettings } from './lease.settings.js';
import { NetworkingSettings } from './networking.settings.js';
import { PeeringSettings } from './peering.settings.js';
import { PersistenceSettings } from './persistence.settings.js';
import { PostingSettings } from './posting.settings.js';
import { ProcessSettings } from './process.settings.js';
import { QueueingSettings } from './queueing.settings.js';
import { ScanningSettings } from './scanning.settings.js';
import { WatchingSettings } from './watching.settings.js';

/**
 * All settings of one operator. They can be given as module options, and changed in `@OnStartup` handlers;
 * later changes affect what reads them later.
 */
export class KopfSettings {
  readonly admission = new AdmissionSettings();
  readonly background = new BackgroundSettings();
  readonly deletion = new DeletionSettings();
  readonly execution = new ExecutionSettings();
  readonly lease = new LeaseSettings();

  readonly networking = new NetworkingSettings();
  readonly peering = new PeeringSettings();

  readonly persistence = new PersistenceSettings();
  readonly posting = new PostingSettings();
  readonly process = new ProcessSettings();
  readonly queueing = new QueueingSettings();
  readonly scanning = new ScanningSettings();
  readonly watching = new WatchingSettings();
}
