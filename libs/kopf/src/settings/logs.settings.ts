import { IsInt, IsNumber, IsPositive, Min } from 'class-validator';

/** Configures how the logs of containers are followed. All durations are in seconds. */
export class LogsSettings {
  /** Limits how many streams are open at the same time. Containers beyond it wait until another one has ended. @default 1000 */
  @IsInt() @IsPositive() maxStreams = 1000;

  /** Limits the bytes of a line; the rest of a longer one is left out. @default 262144 */
  @IsInt() @Min(1024) maxLineLength = 256 * 1024;

  /**
   * Opens a stream anew that was silent for so long, as a node can lose a stream when it rotates the log, and connections can end
   * unnoticed. @default 300
   */
  @IsNumber() @IsPositive() silenceTimeout = 300;

  /** The longest pause before a stream is opened anew that has failed again and again; the first one is a second. @default 60 */
  @IsNumber() @Min(1) maxReconnectDelay = 60;
}
