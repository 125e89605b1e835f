package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
)

// commentsRule wants a comment on every exported name of a library. It starts
// with the name; that of a type may have an article before it. In a group of
// constants or variables, one comment for all or one for each will do.
func commentsRule() rule {
	return rule{"comments", func(t *tree) []breach {
		var breaches []breach
		for _, p := range t.packages {
			for _, f := range p.sources() {
				if f.command() {
					continue
				}
				for _, d := range f.syntax.Decls {
					breaches = append(breaches, uncommented(f, d)...)
				}
			}
		}
		return breaches
	}}
}

func uncommented(f *file, decl ast.Decl) []breach {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return commented(f, "func ", []*ast.Ident{d.Name}, d.Doc)
		}
		if ast.IsExported(receiver(d)) {
			return commented(f, "method "+receiver(d)+".", []*ast.Ident{d.Name}, d.Doc)
		}
	case *ast.GenDecl:
		grouped := d.Lparen.IsValid()
		var breaches []breach
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				doc := s.Doc
				if !grouped {
					doc = d.Doc
				}
				breaches = append(breaches, commented(f, "type ", []*ast.Ident{s.Name}, doc, "A ", "An ", "The ")...)
			case *ast.ValueSpec:
				if !grouped {
					breaches = append(breaches, commented(f, d.Tok.String()+" ", s.Names, d.Doc)...)
				} else if d.Doc.Text() == "" {
					breaches = append(breaches, groupMember(f, d.Tok, s)...)
				}
			}
		}
		return breaches
	}
	return nil
}

// commented checks the comment of a declaration of names, which may start with
// any of them, after one of the articles or none. The kind of declaration stands
// before the name in what it reports.
func commented(f *file, kind string, names []*ast.Ident, doc *ast.CommentGroup, articles ...string) []breach {
	i := slices.IndexFunc(names, func(n *ast.Ident) bool { return n.IsExported() })
	if i < 0 {
		return nil
	}
	name, text := names[i], doc.Text()
	called := kind + name.Name
	if text == "" {
		return []breach{f.breach(name.Pos(), "exported "+called+" has no comment",
			fmt.Sprintf(`say what it is: "%s ..."`, name.Name))}
	}
	for _, n := range names {
		for _, article := range append(articles, "") {
			if startsWith(text, article+n.Name) {
				return nil
			}
		}
	}
	return []breach{f.breach(name.Pos(), "the comment of "+called+" does not start with its name",
		fmt.Sprintf(`begin it with "%s"`, name.Name))}
}

// groupMember checks one line of a group that has no comment of its own.
func groupMember(f *file, tok token.Token, s *ast.ValueSpec) []breach {
	i := slices.IndexFunc(s.Names, func(n *ast.Ident) bool { return n.IsExported() })
	if i < 0 || s.Doc.Text() != "" || s.Comment.Text() != "" {
		return nil
	}
	return []breach{f.breach(s.Pos(), fmt.Sprintf("exported %s %s has no comment, nor has its group", tok, s.Names[i].Name),
		"comment the group")}
}

// receiver is the name of the type that d is a method of.
func receiver(d *ast.FuncDecl) string {
	for e := d.Recv.List[0].Type; ; {
		switch x := e.(type) {
		case *ast.Ident:
			return x.Name
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr: // T[A]
			e = x.X
		case *ast.IndexListExpr: // T[A, B]
			e = x.X
		default:
			return ""
		}
	}
}
