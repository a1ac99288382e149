import { IsIn, IsNotEmpty, IsNumber, IsObject, IsString, Min } from 'class-validator';
import type { DiffBaseStorage, ProgressStorage } from '../state/progress.interface.js';

/** How the state of handling is kept with the objects. */
export class PersistenceSettings {
  /** The finalizer that blocks a deletion until its handlers are done. @default kopf.zalando.org/KopfFinalizerMarker */
  @IsString() @IsNotEmpty() finalizer = 'kopf.zalando.org/KopfFinalizerMarker';

  /** Where the progress of handlers is kept. @default `SmartProgressStorage` */
  @IsObject() progressStorage: ProgressStorage;

  /** Where the last handled essence is kept. @default `AnnotationsDiffBaseStorage` */
  @IsObject() diffbaseStorage: DiffBaseStorage;

  /** Seconds for which handlers of changes wait for the event of the operator's own patch. @default 5 */
  @IsNumber() @Min(0) consistencyTimeout = 5;

  /**
   * What happens when somebody else removes the last handled essence from an object: it is handled as created once more,
   * as in Kopf, or it is compared with the essence that is recalled from memory. The latter ends the loop with a controller
   * that always removes foreign annotations, and keeps one essence per object in memory. Removed progress of handlers is
   * treated alike: they are called anew, or their records are recalled. @default 'create'
   */
  @IsIn(['create', 'recall']) lostEssence: 'create' | 'recall' = 'create';
}
