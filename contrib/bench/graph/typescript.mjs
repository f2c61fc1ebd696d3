// The TypeScript compiler's language service over one directory, asked by lines of JSON.
//
//   node typescript.mjs NODE_MODULES [--js] ROOT
//
// {"ask": "functions"} -> [[path, line, column, name], ...]; {"ask": "references", "at": [path,
// line, column]} -> [[path, line, column, endColumn, strict], ...]; {"ask": "definitions", "at": ...}
// -> [[path, line], ...], path "" outside of ROOT. Lines and columns count from 0. All
// .ts and .tsx files (.js with --js) are one program, packages of the workspace are given as paths.
import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";
import { createRequire } from "node:module";

const given = process.argv.slice(2);
const js = given.includes("--js");
const [modules, root] = given.filter((one) => one !== "--js");
const ts = createRequire(path.join(modules, "x.js"))("typescript");
const suffix = js ? /\.(?:[cm]?[jt]s|[jt]sx)$/ : /\.(?:[cm]?ts|tsx)$/;
const skipped = new Set(["node_modules", ".git", "dist", "build", "coverage"]);

const files = [];
const paths = {};
(function walk(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const whole = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!skipped.has(entry.name)) walk(whole);
    } else if (entry.isFile() && suffix.test(entry.name)) {
      files.push(whole);
    } else if (entry.name === "package.json") {
      const name = packageName(whole);
      const index = ["src/index.ts", "index.ts", "src/mod.ts", "src/index.tsx", "lib/index.js"]
        .map((one) => path.join(folder, one))
        .find((one) => fs.existsSync(one));
      if (name && index) {
        paths[name] = [index];
        paths[`${name}/*`] = [path.join(folder, "src/*"), path.join(folder, "*")];
      }
    }
  }
})(root);
files.sort();

function packageName(file) {
  try {
    return JSON.parse(fs.readFileSync(file, "utf8")).name;
  } catch {
    return undefined;
  }
}

const config = ts.findConfigFile(root, ts.sys.fileExists);
const settings = config && path.dirname(config) === root
  ? ts.parseJsonConfigFileContent(ts.readConfigFile(config, ts.sys.readFile).config, ts.sys, root).options
  : {};
const options = {
  ...settings,
  allowJs: js,
  noEmit: true,
  jsx: ts.JsxEmit.Preserve,
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  allowImportingTsExtensions: true,
  baseUrl: settings.baseUrl ?? root,
  paths: { ...paths, ...settings.paths },
};
const host = {
  getScriptFileNames: () => files,
  getScriptVersion: () => "1",
  getScriptSnapshot: (name) =>
    fs.existsSync(name) ? ts.ScriptSnapshot.fromString(fs.readFileSync(name, "utf8")) : undefined,
  getCurrentDirectory: () => root,
  getCompilationSettings: () => options,
  getDefaultLibFileName: (one) => ts.getDefaultLibFilePath(one),
  fileExists: ts.sys.fileExists,
  readFile: ts.sys.readFile,
  readDirectory: ts.sys.readDirectory,
  directoryExists: ts.sys.directoryExists,
  getDirectories: ts.sys.getDirectories,
};
const service = ts.createLanguageService(host);
const inside = new Set(files);

function functions() {
  const found = [];
  const program = service.getProgram();
  for (const name of files) {
    if (name.endsWith(".d.ts")) continue;
    const source = program.getSourceFile(name);
    const add = (node) => {
      const at = source.getLineAndCharacterOfPosition(node.getStart(source));
      found.push([path.relative(root, name), at.line, at.character, node.text]);
    };
    (function visit(node) {
      const declared = ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node);
      if (declared && node.body && node.name && ts.isIdentifier(node.name)) add(node.name);
      const holder = ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node);
      if (holder && ts.isIdentifier(node.name) && node.initializer
        && (ts.isArrowFunction(node.initializer) || ts.isFunctionExpression(node.initializer))) {
        add(node.name);
      }
      ts.forEachChild(node, visit);
    })(source);
  }
  return found;
}

function nodeAt(source, position) {
  let found = source;
  for (let next = source; next; ) {
    found = next;
    next = undefined;
    ts.forEachChild(found, (child) => {
      if (child.getStart(source) <= position && position < child.end) next ??= child;
    });
  }
  return found;
}

// Where a name is declared, behind imports and exports; a property of a union in several places.
function declarations(checker, node) {
  const named = node && checker.getSymbolAtLocation(node);
  if (!named) return [];
  const symbol = named.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(named) : named;
  return symbol.declarations ?? [];
}

// The last field of a row says whether the place means this very function; else it means one that
// this one overrides, implements or is overridden by, or one that shares such a relative with it.
function references([name, line, column]) {
  const file = path.join(root, name);
  const program = service.getProgram();
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const position = source.getPositionOfLineAndCharacter(line, column);
  const own = new Set(declarations(checker, nodeAt(source, position)));
  const found = [];
  for (const symbol of service.findReferences(file, position) ?? []) {
    for (const one of symbol.references) {
      if (one.isDefinition || !inside.has(one.fileName)) continue;
      const other = program.getSourceFile(one.fileName);
      const start = other.getLineAndCharacterOfPosition(one.textSpan.start);
      const node = nodeAt(other, one.textSpan.start);
      if (!node.parent || (ts.isMethodDeclaration(node.parent) && node.parent.name === node)) continue;
      const strict = declarations(checker, node).some((declared) => own.has(declared));
      const end = start.character + one.textSpan.length;
      found.push([path.relative(root, one.fileName), start.line, start.character, end, strict]);
    }
  }
  return found;
}

function definitions([name, line, column]) {
  const file = path.join(root, name);
  const program = service.getProgram();
  const position = program.getSourceFile(file).getPositionOfLineAndCharacter(line, column);
  // An import is where it stops when it does not find the module.
  const meant = service.getDefinitionAtPosition(file, position) ?? [];
  return meant.filter((one) => one.kind !== "alias").map((one) => {
    const other = program.getSourceFile(one.fileName);
    const start = other.getLineAndCharacterOfPosition(one.textSpan.start);
    return [inside.has(one.fileName) ? path.relative(root, one.fileName) : "", start.line];
  });
}

const answers = { functions, references, definitions };
for await (const line of readline.createInterface({ input: process.stdin })) {
  const { ask, at } = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(answers[ask](at))}\n`);
}
