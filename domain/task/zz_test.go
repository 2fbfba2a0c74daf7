package task_test
import ("testing";"fmt";"os";"strings";"understudy/domain/task";"understudy/domain/language")
func words(w []language.Word) string { out:=[]string{}; for _,x:=range w { s:=x.Text; if x.Verbatim {s+="!"}; if x.Capital {s+="^"}; out=append(out,s)}; return strings.Join(out," ") }
func TestZZ(t *testing.T) {
  b,_:=os.ReadFile("/tmp/tasks.txt")
  for _,l:=range strings.Split(strings.TrimSpace(string(b)),"\n") {
    fmt.Println("#",l)
    g:=task.Parse(l,nil)
    for _,s:=range g.Subgoals { fmt.Printf("   %s deed=%q verb=%q obj=[%s] place=[%s] lit=%q widget=%q ord=%d count=%d order=%q ans=%q whether=%v howto=%v\n",s.Kind,s.Deed,s.Verb,words(s.Object),words(s.Place),s.Literal,s.Widget,s.Ordinal,s.Count,s.Order,s.Answer,s.Whether,s.Howto)
      for _,v:=range s.Values { fmt.Printf("       value %q kind=%s hint=[%s] choose=%v new=%v old=%v both=%v ord=%d\n",v.Text,v.Kind,words(v.Hint),v.Choose,v.New,v.Old,v.Both,v.Ordinal)} }
  }
}
