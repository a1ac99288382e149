/** Where the server says what its user should know. Nest's loggers fit. */
export interface Logger {
  debug(message: string): void;
  log(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}
