// The Go type checker over one module, asked by lines of JSON like typescript.mjs.
//
//	go run gotypes.go ROOT
//
// Standard library only. Packages of other modules are not loaded: what comes from them has no type.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

type place struct {
	path   string
	line   int
	column int
}

type world struct {
	root, module string
	files        *token.FileSet
	standard     types.Importer
	packages     map[string]*types.Package
	meant        map[place]place
	users        map[place][]place
	functions    []place
	names        map[place]string
}

func main() {
	root := os.Args[1]
	w := &world{
		root: root, module: moduleOf(root), files: token.NewFileSet(),
		packages: map[string]*types.Package{}, meant: map[place]place{},
		users: map[place][]place{}, names: map[place]string{},
	}
	w.standard = importer.ForCompiler(w.files, "source", nil)
	for _, folder := range foldersOf(root) {
		w.load(folder)
	}
	in := bufio.NewScanner(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	for in.Scan() {
		var question struct {
			Ask string
			At  []any
		}
		if err := json.Unmarshal(in.Bytes(), &question); err != nil {
			panic(err)
		}
		_ = out.Encode(w.answer(question.Ask, question.At))
	}
}

func (w *world) answer(ask string, at []any) [][]any {
	rows := [][]any{}
	if ask == "functions" {
		for _, one := range w.functions {
			rows = append(rows, []any{one.path, one.line, one.column, w.names[one]})
		}
		return rows
	}
	asked := place{at[0].(string), int(at[1].(float64)), int(at[2].(float64))}
	if ask == "references" {
		for _, one := range w.users[asked] {
			end := one.column + len(w.names[asked])
			rows = append(rows, []any{one.path, one.line, one.column, end, true})
		}
	} else if meant, known := w.meant[asked]; known {
		rows = append(rows, []any{meant.path, meant.line})
	}
	return rows
}

// Import makes the world an importer: packages of the module from their folders.
func (w *world) Import(path string) (*types.Package, error) {
	if path == w.module || strings.HasPrefix(path, w.module+"/") {
		inside := strings.TrimPrefix(strings.TrimPrefix(path, w.module), "/")
		if known := w.load(filepath.Join(w.root, inside)); known != nil {
			return known, nil
		}
		return nil, fmt.Errorf("no package at %s", path)
	}
	if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
		return nil, fmt.Errorf("%s is of another module", path)
	}
	return w.standard.Import(path)
}

// load checks a package with its tests in it, then the tests beside it.
func (w *world) load(folder string) *types.Package {
	if known, seen := w.packages[folder]; seen {
		return known
	}
	w.packages[folder] = nil
	found, _ := build.ImportDir(folder, 0)
	if found == nil {
		return nil
	}
	own := w.check(folder, append(append([]string{}, found.GoFiles...), found.TestGoFiles...))
	w.packages[folder] = own
	if len(found.XTestGoFiles) > 0 {
		w.check(folder, found.XTestGoFiles)
	}
	return own
}

func (w *world) check(folder string, names []string) *types.Package {
	parsed := []*ast.File{}
	for _, name := range names {
		if file, _ := parser.ParseFile(w.files, filepath.Join(folder, name), nil, 0); file != nil {
			parsed = append(parsed, file)
		}
	}
	if len(parsed) == 0 {
		return nil
	}
	info := &types.Info{
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	settings := types.Config{Importer: w, Error: func(error) {}, FakeImportC: true}
	inside, _ := filepath.Rel(w.root, folder)
	path := strings.TrimSuffix(w.module+"/"+filepath.ToSlash(inside), "/.")
	checked, _ := settings.Check(path, w.files, parsed, info)
	for name, object := range info.Defs {
		function, is := object.(*types.Func)
		if is && function.Pos().IsValid() {
			w.define(name, function, parsed)
		}
	}
	for name, object := range info.Uses {
		if function, is := object.(*types.Func); is {
			object = function.Origin()
		}
		from, to := w.place(name.Pos()), w.place(object.Pos())
		w.meant[from] = to
		w.users[to] = append(w.users[to], from)
	}
	return checked
}

func (w *world) define(name *ast.Ident, function *types.Func, parsed []*ast.File) {
	for _, file := range parsed {
		for _, one := range file.Decls {
			declared, is := one.(*ast.FuncDecl)
			if is && declared.Name == name && declared.Body != nil {
				at := w.place(function.Pos())
				w.functions = append(w.functions, at)
				w.names[at] = name.Name
			}
		}
	}
}

// place tells where something is, counted from 0; the path is "" outside of the directory.
func (w *world) place(position token.Pos) place {
	at := w.files.Position(position)
	inside, err := filepath.Rel(w.root, at.Filename)
	if err != nil || at.Filename == "" || strings.HasPrefix(inside, "..") {
		return place{"", at.Line - 1, at.Column - 1}
	}
	return place{filepath.ToSlash(inside), at.Line - 1, at.Column - 1}
}

func moduleOf(root string) string {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		panic(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, "module ") {
			return strings.TrimSpace(strings.TrimPrefix(line, "module "))
		}
	}
	panic("go.mod names no module")
}

func foldersOf(root string) []string {
	found := []string{}
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			name := entry.Name()
			if path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "vendor") {
				return filepath.SkipDir
			}
			found = append(found, path)
		}
		return nil
	})
	sort.Strings(found)
	return found
}
