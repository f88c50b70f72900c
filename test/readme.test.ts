import { expect, test } from 'bun:test';
import { environmentSchema } from '../src/config.ts';
import { readmeScripts, readmeTable } from './support/readme.ts';

test('the configuration table is the schema', () => {
  expect(readmeTable('variable')).toEqual(
    Object.entries(environmentSchema.properties).map(([name, schema]) => [
      `\`${name}\``,
      schema.default === '' ? '' : `\`${schema.default}\``,
      schema.description ?? '',
    ]),
  );
});

test('the commands are scripts of the package', async () => {
  const { scripts } = await Bun.file(new URL('../package.json', import.meta.url)).json();
  expect(readmeScripts().length).toBeGreaterThan(4);
  for (const script of readmeScripts()) expect(Object.keys(scripts)).toContain(script);
});
