import { IsInt, IsNumber, IsPositive, Min } from 'class-validator';

/** The settings of reading the logs of containers. All durations are in seconds. */
export class LogsSettings {
  /** The most streams that are open at the same time. Further containers wait until another stream has ended. @default 1000 */
  @IsInt() @IsPositive() maxStreams = 1000;

  /** The most bytes of a line; the rest of a longer line is dropped. @default 262144 */
  @IsInt() @Min(1024) maxLineLength = 256 * 1024;

  /**
   * The time of silence after which a stream is opened again, as a node can lose a stream when it rotates the log, and a connection can end
   * without notice.
   * @default 300
   */
  @IsNumber() @IsPositive() silenceTimeout = 300;

  /** The longest pause before a stream that keeps failing is opened again; the first pause is one second. @default 60 */
  @IsNumber() @Min(1) maxReconnectDelay = 60;
}
