interface Options {
  /** Minifying is for a script that is sent as it is. */
  readonly minify: boolean;
  readonly format: 'iife' | 'cjs';
}

/** Makes one script of a file and what it imports, without what nothing in it refers to. */
export async function buildFile(path: string, options: Options): Promise<string> {
  return build({ ...options, entrypoints: [path] });
}

/** As `buildFile`, of source text. */
export async function buildSource(source: string, options: Options): Promise<string> {
  const entry = './axe.js';
  return build({ ...options, entrypoints: [entry], files: { [entry]: source } });
}

async function build(config: Bun.BuildConfig): Promise<string> {
  const { outputs } = await Bun.build({ ...config, target: 'browser' });
  const [output] = outputs;
  if (output === undefined) throw new Error('the patched bundle gives no output');
  return output.text();
}
